"""An OpenAI-style endpoint on loopback that answers by a script: well, late, cut off, held open, endlessly."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GOOD = '{"thoughts": "trump is strong", "action": 1}'


Answer = tuple[int, bytes] | tuple[int, bytes, dict[str, str]]
"""A status, a body and headers."""


def completion(content: object, finish: str = "stop", **message: object) -> bytes:
    """Return a chat completion with this content."""
    choice = {"message": {"content": content, **message}, "finish_reason": finish}
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}).encode()


def events(content: str, *, end: bytes = b"data: [DONE]\n\n", line: bytes = b"\n") -> bytes:
    """Return a completion as a stream of server-sent events, one letter each, with comments and a role in between."""
    parts: list[object] = [{"choices": [{"delta": {"role": "assistant", "content": ""}}]}]
    parts += [{"choices": [{"delta": {"content": letter}, "finish_reason": None}]} for letter in content]
    parts += [{"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}]
    sent = b": a comment\n\n".join(b"data: " + json.dumps(part).encode() + b"\n\n" for part in parts) + end
    return sent.replace(b"\n", line)


EVENTS = {"Content-Type": "text/event-stream; charset=utf-8"}


@dataclass
class FakeEndpoint:
    """An endpoint on loopback. It answers by the script, one entry for each request; the last entry stays.

    ending: how answers end: "whole", "cut off", "held" open, "endless", or "late", which is never.
    endings: of single requests, by their number from 1.
    refused: fields of a request that it answers with status 400.
    """

    script: list[Answer]
    ending: str = "whole"
    endings: dict[int, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    url: str = ""

    def next(self, asked: dict[str, Any]) -> Answer:
        """Return the answer to a request."""
        for name in sorted(self.refused & set(asked)):
            return 400, json.dumps({"error": {"message": f"{name} is not supported by this model"}}).encode()
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
                endpoint.times.append(time.monotonic())
                endpoint.keys.append(self.headers["Authorization"])
                ending = endpoint.endings.get(len(endpoint.requests), endpoint.ending)
                status, body, *more = endpoint.next(asked)
            if ending == "late":
                endpoint.released.wait()
                return
            self.send_response(status)
            for name, value in more[0].items() if more else ():
                self.send_header(name, value)
            if ending not in ("endless", "held"):
                self.send_header("Content-Length", str(len(body) + (ending == "cut off")))
            self.end_headers()
            try:
                self.wfile.write(body)
                self.wfile.flush()
                if ending == "held":
                    endpoint.released.wait()
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
