"""Sessions send and connections write after all that has arrived is applied (architecture.md, Trio and gRPC)."""

from __future__ import annotations

import trio
import trio.testing

from bowerbird.harness.referee.connection.mailbox import Mailbox


async def test_a_turn_is_taken_once_and_after_all_that_has_come_was_heard() -> None:
    post = Mailbox().open()
    await trio.testing.wait_all_tasks_blocked()
    story: list[str] = []

    def turn() -> None:
        story.append("turn")

    async def hear(word: str) -> None:
        story.append(word)
        post.request_turn(turn)

    async with trio.open_nursery() as nursery:
        for word in ("first", "second", "third"):
            nursery.start_soon(hear, word)
    await trio.testing.wait_all_tasks_blocked()
    assert sorted(story[:3]) == ["first", "second", "third"], "a message to a bot lacks what others had said by then"
    assert story[3:] == ["turn"]


async def test_connections_write_after_all_turns() -> None:
    post = Mailbox().open()
    story: list[str] = []

    def second() -> None:
        story.append("second")
        post.request_flush(lambda: story.append("its write"))

    def first() -> None:
        story.append("first")
        post.request_turn(second)

    post.request_flush(lambda: story.append("write"))
    post.request_turn(first)
    await trio.testing.wait_all_tasks_blocked()
    assert story == ["first", "second", "write", "its write"]


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


async def test_what_a_write_asks_for_is_done_too() -> None:
    post = Mailbox().open()
    story: list[str] = []

    def write() -> None:
        story.append("write")
        post.request_turn(lambda: story.append("turn"))

    post.request_flush(write)
    await trio.testing.wait_all_tasks_blocked()
    assert story == ["write", "turn"]


def test_what_is_asked_before_trio_is_there_is_kept() -> None:
    heard: list[int] = []
    early = Mailbox()
    early.request_turn(lambda: heard.append(1))

    async def hear_all() -> None:
        assert not heard
        early.open()
        await trio.testing.wait_all_tasks_blocked()

    trio.run(hear_all)
    assert heard == [1]
