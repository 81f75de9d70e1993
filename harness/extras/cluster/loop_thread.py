"""An asyncio event loop in its own thread, for a library that needs asyncio beside trio."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

import trio

T = TypeVar("T")


class LoopThread:
    """A thread that runs asyncio coroutines for callers in other threads.

    Processes that it starts do not get Ctrl-C.
    """

    def __init__(self) -> None:
        """Create a loop that does not run yet."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run_loop, name="asyncio", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Cancel everything that is still running, and end the thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def wait_for(self, coroutine: Coroutine[Any, Any, T], timeout_s: float | None = None) -> T:
        """Run a coroutine and block until it ends. Raises TimeoutError and the coroutine's errors."""
        future = self.begin(coroutine)
        try:
            return future.result(timeout_s)
        except BaseException:
            future.cancel()
            raise

    async def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine while other trio tasks go on. Cancellation cancels it without waiting for its end."""
        token = trio.lowlevel.current_trio_token()
        ended = trio.Event()

        def tell(_: Future[T]) -> None:
            with suppress(trio.RunFinishedError):
                token.run_sync_soon(ended.set)

        future = self.begin(coroutine)
        future.add_done_callback(tell)
        try:
            await ended.wait()
        except BaseException:
            future.cancel()
            raise
        return future.result()

    def begin(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine without waiting for it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def call_soon(self, function: Callable[..., None], *arguments: object) -> None:
        """Call a function in the loop, after everything requested before. Any thread may call this."""
        self._loop.call_soon_threadsafe(function, *arguments)

    def _run_loop(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # processes started here inherit it
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        finally:
            self._loop.close()
