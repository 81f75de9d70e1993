"""What one server gives to all browsers together, and to one address."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a server.

    connections: open connections in all. One more takes the place of one that has not asked for anything yet.
    connections_each: open connections of one address that is not this machine.
    streams: connections of these that may stay open to hear of changes.
    idle_s: how long a connection may stay without a request, also the time that a request may take to arrive.
    send_s, least_rate: how long a reader may take to accept a piece of an answer, and a second more for so many bytes.
    head_bytes: size of the head of a request. A request has no body.
    rate, burst: requests a second of one address, on average and at once.
    stream_s: how long a stream of events lasts; browsers ask again.
    build_s: the longest wait for a page.
    """

    connections: int = 512
    connections_each: int = 64
    streams: int = 320
    idle_s: float = 10.0
    send_s: float = 20.0
    least_rate: float = 4096.0
    head_bytes: int = 16 * 1024
    rate: float = 30.0
    burst: int = 120
    stream_s: float = 3600.0
    build_s: float = 30.0
