"""What one server gives to all browsers together, and to one address."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a server.

    connections: open connections in all. One more takes the place of one that has not asked for anything yet.
    connections_each: open connections of one reader: an IPv4 address or the /64 network of an IPv6 address, other than
        this machine's.
    streams: connections of these that may stay open to hear about changes, or to watch a table.
    streams_each: streams of one reader. This machine, which may be a proxy, has half of all.
    tables: streams of these that watch a table. A run serves 64, and other spectators need some.
    tables_each: tables that one reader may watch. This machine has half of all.
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
    streams_each: int = 32
    tables: int = 48
    tables_each: int = 8
    idle_s: float = 10.0
    send_s: float = 20.0
    least_rate: float = 4096.0
    head_bytes: int = 16 * 1024
    rate: float = 30.0
    burst: int = 120
    stream_s: float = 3600.0
    build_s: float = 30.0
