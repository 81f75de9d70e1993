"""A service that answers `bots.http` and has one defect, named by its argument; it writes its port to a file."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

MODE, PORT_FILE = sys.argv[1], Path(sys.argv[2])
MEGABYTE = 1 << 20
CLOSING = ("not http", "cut off", "hangs up", "closes each")


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # a name of the standard library
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if MODE == "asks for a token" and self.headers["Authorization"] != "Bearer pass-word":
            self.reply(b'{"error": "no token"}', 401)
        elif message["type"] != "decision":
            self.reply(b'{"ready": true}', 200 if MODE != "500 at start" else 500)
        else:
            self.decide(message["id"], message["legal"][0])

    def decide(self, number: int, token: str) -> None:
        good = json.dumps({"id": number, "action": token}).encode()
        replies = {
            "500": (b"<h1>Internal\x1b[31m error</h1>", 500),
            "redirect": (b"", 302),
            "garbage": (b"\xff\xfe best: pass", 200),
            "illegal": (json.dumps({"id": number, "action": "play 2x"}).encode(), 200),
            "large": (b" " * MEGABYTE, 200),
        }
        match MODE:
            case "not http":
                self.wfile.write(b"hello\r\n\r\n")
            case "late":
                time.sleep(60)
            case "drips":
                self.drip()
            case "endless":
                self.endless()
            case "cut off":
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(good)
            case "hangs up":
                self.connection.shutdown(socket.SHUT_RDWR)
            case "dies":
                os._exit(1)
            case _:
                self.reply(*replies.get(MODE, (good, 200)))
        if MODE in CLOSING:  # also after a good answer, without saying so: the next message finds it closed
            self.close_connection = True

    def drip(self) -> None:
        """Send a header one byte at a time, for ever."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
        while True:
            self.wfile.write(b"x")
            time.sleep(0.1)

    def endless(self) -> None:
        """Send a body in chunks, for ever."""
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while True:
            self.wfile.write(b"1\r\n \r\n")
            time.sleep(0.001)

    def reply(self, body: bytes, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        pass  # the bridge cuts connections off


server = Server(("127.0.0.1", 0), Service)
PORT_FILE.with_suffix(".new").write_text(str(server.server_port))
PORT_FILE.with_suffix(".new").rename(PORT_FILE)
server.serve_forever()
