"""A drand of its own on loopback: a chain with a key that tests know, and a server that answers well or badly."""

from __future__ import annotations

import hashlib
import json
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from bowerbird.harness.extras.drand.rounds import Chain
from bowerbird.harness.extras.drand.signature import hashed_round, load_library

ROUND_1000 = "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39"
"""The signature of round 1000 of the public chain quicknet, as its servers give it."""

SECRET = 0x2545F4914F6CDD1D
PERIOD_S = 1
GENESIS = 1_700_000_000

GOOD, DOWN, UNSIGNED, OTHER_ROUND, GARBAGE, ENDLESS, SLOW, REDIRECT = (
    "good",
    "down",
    "unsigned",
    "other round",
    "garbage",
    "endless",
    "slow",
    "redirect",
)


@cache
def own_chain(secret: int = SECRET) -> Chain:
    """Return the chain of this secret key."""
    load_library()
    from py_ecc.bls.point_compression import compress_G2
    from py_ecc.optimized_bls12_381.optimized_curve import G2, multiply

    first, second = compress_G2(multiply(G2, secret))
    return Chain(f"{first:096x}{second:096x}", GENESIS, PERIOD_S)


def signature(number: int, secret: int = SECRET) -> str:
    """Return the signature of a round of the chain of this secret key."""
    load_library()
    from py_ecc.bls.point_compression import compress_G1
    from py_ecc.optimized_bls12_381.optimized_curve import multiply

    return f"{compress_G1(multiply(hashed_round(number), secret)):096x}"


@dataclass
class FakeDrand:
    """A server of the chain. `way` is how it answers from now on; `asked` are the rounds that it was asked for."""

    way: str = GOOD
    url: str = ""
    asked: list[int] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def league_lines(self, lead: str = "5s") -> str:
        """Return what binds the epochs of a league file to this chain."""
        chain = own_chain()
        return (
            f'beacon = "drand"\n[league.drand]\naddresses = ["{self.url}"]\npublic_key = "{chain.public_key}"\n'
            f'genesis = {chain.genesis}\nperiod = {chain.period}\nlead = "{lead}"\n'
        )

    def answer(self, number: int) -> tuple[int, bytes]:
        """Return status and body of the answer about a round."""
        if self.way == DOWN:
            return 503, b""
        if self.way == GARBAGE:
            return 200, b"[" * 50_000
        if self.way == GOOD and time.time() < own_chain().moment(number):
            return 404, b"{}"
        shown = number + 1 if self.way == OTHER_ROUND else number
        signed = signature(number + 1 if self.way in (UNSIGNED, OTHER_ROUND) else number)
        randomness = hashlib.sha256(bytes.fromhex(signed)).hexdigest()
        return 200, json.dumps({"round": shown, "randomness": randomness, "signature": signed}).encode()


@contextmanager
def fake_drand(tls: ssl.SSLContext | None = None) -> Iterator[FakeDrand]:
    """Serve the chain during the block, over HTTPS if TLS settings are given."""
    drand = FakeDrand()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = int(self.path.rpartition("/public/")[2])
            drand.asked.append(number)
            if drand.way == SLOW:
                drand.released.wait()
                return
            if drand.way == REDIRECT:
                self.send_response(302)
                self.send_header("Location", f"{drand.url}{self.path}")
                self.end_headers()
                return
            status, body = drand.answer(number)
            self.send_response(status)
            self.end_headers()
            try:
                self.wfile.write(body)
                while drand.way == ENDLESS and not drand.released.is_set():
                    self.wfile.write(b" " * 65536)
            except OSError:
                return  # the other side has heard enough

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    drand.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield drand
    finally:
        drand.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
