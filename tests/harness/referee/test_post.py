"""What threads say reaches trio in order, and nobody answers before all that has come was heard (ARCHITECTURE.md)."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable

import pytest
import trio
import trio.testing

from harness.referee.post import NobodyThereError, Post

LIMIT_S = 30


def in_trio(body: Callable[[Post], Awaitable[None]]) -> None:
    async def main() -> None:
        with trio.fail_after(LIMIT_S):
            await body(Post().open())

    trio.run(main)


def from_thread(work: Callable[[], None]) -> None:
    """Let a thread do something while trio does nothing else."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join(LIMIT_S)
    assert not thread.is_alive()


def test_what_a_thread_says_is_heard_in_the_trio_thread_and_in_order() -> None:
    heard: list[tuple[int, bool]] = []
    main_thread = threading.get_ident()

    async def body(post: Post) -> None:
        def say() -> None:
            for number in range(100):
                post.bring(lambda number: heard.append((number, threading.get_ident() == main_thread)), number)

        from_thread(say)
        assert not heard, "heard before trio had its turn"
        await trio.testing.wait_all_tasks_blocked()

    in_trio(body)
    assert heard == [(number, True) for number in range(100)]


def test_a_turn_is_taken_once_and_after_all_that_has_come_was_heard() -> None:
    story: list[str] = []

    async def body(post: Post) -> None:
        def turn() -> None:
            story.append("turn")

        def hear(word: str) -> None:
            story.append(word)
            post.want(turn)

        def say() -> None:
            for word in ("first", "second", "third"):
                post.bring(hear, word)

        from_thread(say)
        await trio.testing.wait_all_tasks_blocked()

    in_trio(body)
    assert story == ["first", "second", "third", "turn"], "a message to a bot lacks what others had said by then"


def test_a_turn_that_lets_another_have_one_is_followed_by_it() -> None:
    story: list[str] = []

    async def body(post: Post) -> None:
        def second() -> None:
            story.append("second")

        def first() -> None:
            story.append("first")
            post.want(second)

        post.want(first)
        await trio.testing.wait_all_tasks_blocked()
        post.want(first)
        await trio.testing.wait_all_tasks_blocked()

    in_trio(body)
    assert story == ["first", "second"] * 2


def test_one_who_never_stops_talking_keeps_trio_from_nothing() -> None:
    """FAULTS.md, a bot that floods: whatever is said while others are heard waits for the next delivery."""

    said = 0

    async def body(post: Post) -> None:
        stopped = False

        def hear() -> None:
            nonlocal said
            said += 1
            if not stopped:
                post.bring(hear)

        post.bring(hear)
        for _ in range(10):
            await trio.lowlevel.checkpoint()
        stopped = True

    in_trio(body)
    assert 0 < said < 100, f"{said} calls were made while another task took ten steps"


def test_what_comes_before_trio_is_there_is_kept_in_order() -> None:
    heard: list[int] = []
    early = Post()
    from_thread(lambda: [early.bring(heard.append, number) for number in range(10)] and None)

    async def body(_: Post) -> None:
        assert not heard
        early.open()
        early.bring(heard.append, 10)
        await trio.testing.wait_all_tasks_blocked()

    in_trio(body)
    assert heard == list(range(11))


def test_nobody_is_told_when_trio_is_over() -> None:
    posts: list[Post] = []

    async def body(post: Post) -> None:
        posts.append(post)

    in_trio(body)
    with pytest.raises(NobodyThereError):
        posts[0].bring(lambda: None)
