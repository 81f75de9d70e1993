"""An endpoint of OpenAI's form on loopback that answers by a script, and well, late, cut off or endlessly."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GOOD = '{"thoughts": "trump is strong", "action": 1}'


def completion(content: object) -> bytes:
    """Return a chat completion with this content."""
    reply = {"choices": [{"message": {"content": content}}], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}
    return json.dumps(reply).encode()


@dataclass
class FakeEndpoint:
    """An endpoint on loopback. It answers by the script, one entry a request; the last entry stays.

    ending: how answers end: "whole", "cut off", "endless", or "late", which is never. endings: of single requests, by
    their number from 1.
    """

    script: list[tuple[int, bytes]]
    ending: str = "whole"
    endings: dict[int, str] = field(default_factory=dict)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    url: str = ""

    def next(self) -> tuple[int, bytes]:
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


@contextmanager
def fake_endpoint() -> Iterator[FakeEndpoint]:
    """Serve an endpoint that always gives the first action."""
    endpoint = FakeEndpoint([(200, completion(GOOD))])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with endpoint.lock:
                endpoint.requests.append(asked)
                endpoint.keys.append(self.headers["Authorization"])
                ending = endpoint.endings.get(len(endpoint.requests), endpoint.ending)
                status, body = endpoint.next()
            if ending == "late":
                endpoint.released.wait()
                return
            self.send_response(status)
            if ending != "endless":
                self.send_header("Content-Length", str(len(body) + (ending == "cut off")))
            self.end_headers()
            try:
                self.wfile.write(body)
                while ending == "endless" and not endpoint.released.is_set():
                    self.wfile.write(b" " * 65536)
            except OSError:
                return  # the bot has heard enough

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield endpoint
    endpoint.released.set()
    server.shutdown()
    thread.join()
    server.server_close()
