"""Messages from threads reach trio in order, all of them before any answer (architecture.md, Trio and gRPC)."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import trio
import trio.testing

from bowerbird.harness.referee.connection.mailbox import Mailbox, MailboxClosedError
from tests.support.deadline import DEADLINE_S


def from_thread(work: Callable[[], None]) -> None:
    """Let a thread do something while trio does nothing else."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join(DEADLINE_S)
    assert not thread.is_alive()


async def test_what_a_thread_says_is_heard_in_the_trio_thread_and_in_order() -> None:
    post = Mailbox().open()
    heard: list[tuple[int, bool]] = []
    main_thread = threading.get_ident()

    def say() -> None:
        for number in range(100):
            post.put(lambda number: heard.append((number, threading.get_ident() == main_thread)), number)

    from_thread(say)
    assert not heard, "heard before trio had its turn"
    await trio.testing.wait_all_tasks_blocked()
    assert heard == [(number, True) for number in range(100)]


async def test_a_turn_is_taken_once_and_after_all_that_has_come_was_heard() -> None:
    post = Mailbox().open()
    story: list[str] = []

    def turn() -> None:
        story.append("turn")

    def hear(word: str) -> None:
        story.append(word)
        post.request_turn(turn)

    def say() -> None:
        for word in ("first", "second", "third"):
            post.put(hear, word)

    from_thread(say)
    await trio.testing.wait_all_tasks_blocked()
    assert story == ["first", "second", "third", "turn"], "a message to a bot lacks what others had said by then"


async def test_a_turn_that_lets_another_have_one_is_followed_by_it() -> None:
    post = Mailbox().open()
    story: list[str] = []

    def second() -> None:
        story.append("second")

    def first() -> None:
        story.append("first")
        post.request_turn(second)

    post.request_turn(first)
    await trio.testing.wait_all_tasks_blocked()
    post.request_turn(first)
    await trio.testing.wait_all_tasks_blocked()
    assert story == ["first", "second"] * 2


async def test_one_who_never_stops_talking_keeps_trio_from_nothing() -> None:
    """faults.md row 9: messages that arrive during a delivery wait for the next one."""
    post = Mailbox().open()
    said = 0
    stopped = False

    def hear() -> None:
        nonlocal said
        said += 1
        if not stopped:
            post.put(hear)

    post.put(hear)
    for _ in range(10):
        await trio.lowlevel.checkpoint()
    stopped = True
    assert 0 < said < 100, f"{said} calls were made while another task took ten steps"


def test_what_comes_before_trio_is_there_is_kept_in_order() -> None:
    heard: list[int] = []
    early = Mailbox()

    def bring_ten() -> None:
        for number in range(10):
            early.put(heard.append, number)

    from_thread(bring_ten)

    async def hear_all() -> None:
        assert not heard
        early.open()
        early.put(heard.append, 10)
        with trio.fail_after(DEADLINE_S):
            await trio.testing.wait_all_tasks_blocked()

    trio.run(hear_all)
    assert heard == list(range(11))


def test_nobody_is_told_when_trio_is_over() -> None:
    async def opened() -> Mailbox:
        return Mailbox().open()

    post = trio.run(opened)
    with pytest.raises(MailboxClosedError):
        post.put(lambda: None)
