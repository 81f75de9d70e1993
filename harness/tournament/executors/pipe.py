"""Pickled values over a pair of streams, each preceded by its length. Use it only between our own processes."""

from __future__ import annotations

import pickle
from struct import Struct
from typing import Any

import trio

LENGTH = Struct(">Q")
"""The length of a pickled value in bytes, which precedes it."""

_RECEIVE_BYTES = 1 << 16


def framed(value: object) -> bytes:
    """Return a value as `Pipe.receive` expects it."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data


class Pipe:
    """A sender and receiver of values. Several tasks may send; one task at a time may receive."""

    def __init__(self, inward: trio.abc.ReceiveStream, outward: trio.abc.SendStream) -> None:
        """Take over these streams; `aclose` closes them."""
        self._inward = inward
        self._outward = outward
        self._buffer = bytearray()
        self._sending = trio.Lock()

    async def send(self, value: object) -> None:
        """Send a value. Raises trio.BrokenResourceError if the other end is gone."""
        data = framed(value)
        async with self._sending:
            await self._outward.send_all(data)

    async def receive(self) -> Any:
        """Return the next value. Raises EOFError if the stream ends, even in the middle of a value."""
        (length,) = LENGTH.unpack(await self._receive_exactly(LENGTH.size))
        return pickle.loads(await self._receive_exactly(length))

    async def _receive_exactly(self, count: int) -> bytes:
        while len(self._buffer) < count:
            try:
                data = await self._inward.receive_some(_RECEIVE_BYTES)
            except trio.BrokenResourceError:
                data = b""
            if not data:
                raise EOFError
            self._buffer += data
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    async def stop_sending(self) -> None:
        """Close the outgoing stream, so that the other end receives EOFError. The other end can still send."""
        await self._outward.aclose()

    async def aclose(self) -> None:
        """Close both streams."""
        await self._outward.aclose()
        await self._inward.aclose()
