"""A service that plays over HTTP (bridges.md): `python service.py 8700`. It imports nothing from Bowerbird."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Player(BaseHTTPRequestHandler):
    """A server that answers one POST for each message."""

    protocol_version = "HTTP/1.1"  # keeps the connection open between messages
    disable_nagle_algorithm = True  # sends the body at once; otherwise each answer takes 40 ms longer

    def do_POST(self) -> None:  # named by the standard library
        """Answer one message."""
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer: dict[str, object] = {"ready": True}
        if message["type"] == "decision":
            answer = {"id": message["id"], "action": message["legal"][-1]}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Player).serve_forever()
