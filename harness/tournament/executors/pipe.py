"""Pickled values through a pair of pipes, between processes of ours alone: each with its length before it."""

from __future__ import annotations

import pickle
from struct import Struct
from typing import Any

import trio

_LENGTH = Struct(">Q")
_CHUNK = 1 << 16


class Pipe:
    """Sends and receives values. One task may send while another receives."""

    def __init__(self, inward: trio.abc.ReceiveStream, outward: trio.abc.SendStream) -> None:
        """A pipe over these streams, which it closes."""
        self._inward = inward
        self._outward = outward
        self._buffer = bytearray()
        self._sending = trio.Lock()

    async def send(self, value: object) -> None:
        """Send a value. Raises trio.BrokenResourceError when nobody reads any more."""
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        async with self._sending:
            await self._outward.send_all(_LENGTH.pack(len(data)) + data)

    async def receive(self) -> Any:
        """The next value. Raises EOFError when there is none any more, one that was cut short included."""
        (length,) = _LENGTH.unpack(await self._take(_LENGTH.size))
        return pickle.loads(await self._take(length))

    async def _take(self, count: int) -> bytes:
        while len(self._buffer) < count:
            try:
                data = await self._inward.receive_some(_CHUNK)
            except trio.BrokenResourceError:
                data = b""
            if not data:
                raise EOFError
            self._buffer += data
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    async def stop_sending(self) -> None:
        """The other end is told that nothing more will come; it can still send."""
        await self._outward.aclose()

    async def aclose(self) -> None:
        """Close both directions."""
        await self._outward.aclose()
        await self._inward.aclose()
