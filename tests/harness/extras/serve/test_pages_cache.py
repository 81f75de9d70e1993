"""What the cache of pages owes those who follow: never for ever a page older than the last change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from bowerbird.harness.extras.serve.pages_cache import LEAST_S, Answer, PagesCache


def page(text: str) -> Callable[[], Answer]:
    """Return a function that makes a page."""
    return lambda: Answer(200, text.encode(), "text/plain")


def on_a_clock(play: Callable[[MockClock], Awaitable[None]]) -> None:
    """Run a test on a clock that stands still until the test moves it."""
    clock = MockClock()
    trio.run(play, clock, clock=clock)


def test_who_got_a_page_that_was_held_back_is_told_when_it_may_be_made_anew() -> None:
    async def play(clock: MockClock) -> None:
        told: list[float] = []
        async with trio.open_nursery() as nursery:
            began = trio.current_time()
            cache = PagesCache(nursery, lambda: told.append(trio.current_time() - began))
            await cache.get("run", 1, page("playing"))
            for _ in range(3):
                assert (await cache.get("run", 2, page("complete"))).body == b"playing"
            assert not told
            clock.jump(LEAST_S)
            await wait_all_tasks_blocked()
            assert told == [LEAST_S], "told once, however many got the page"
            assert (await cache.get("run", 2, page("complete"))).body == b"complete"
            clock.jump(LEAST_S)
            await wait_all_tasks_blocked()
            assert told == [LEAST_S], "nobody is told of a page that shows the last change"

    on_a_clock(play)


def test_at_the_end_of_a_run_no_page_is_held_back() -> None:
    async def play(clock: MockClock) -> None:
        async with trio.open_nursery() as nursery:
            cache = PagesCache(nursery, lambda: None)
            await cache.get("run", 1, page("playing"))
            cache.stop_holding_back()
            assert (await cache.get("run", 2, page("complete"))).body == b"complete"
            assert cache.made == 2
            assert (await cache.get("run", 2, page("made in vain"))).body == b"complete"

    on_a_clock(play)
