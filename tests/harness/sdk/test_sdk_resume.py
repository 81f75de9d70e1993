"""A session over several streams: repeated messages reach the bot once.

seat.proto, "When the connection breaks".
"""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest

from bowerbird.harness.sdk import RESIGN, Table
from bowerbird.harness.sdk import connection as connection_module
from bowerbird.harness.sdk.session import Session
from bowerbird.harness.sdk.socket_stream import SocketStream
from bowerbird.seat.v1 import seat_pb2, table_pb2
from tests.support.wire.scripted_bot import Scripted, opened, requests

SECRET = "the secret of the session"


def welcome(secret: str = SECRET, keep_ms: int = 7000, *, awaits_ready: bool = True) -> seat_pb2.PlayResponse:
    made = seat_pb2.Welcome(
        protocol_version=1, session_secret=secret, resume_ms=keep_ms, awaits_ready=awaits_ready, startup_ms=500
    )
    return seat_pb2.PlayResponse(welcome=made)


def hand_ended(number: int) -> seat_pb2.PlayResponse:
    return seat_pb2.PlayResponse(hand_ended=table_pb2.HandEnded(table_id="t", hand_number=number))


def closed() -> seat_pb2.PlayResponse:
    return seat_pb2.PlayResponse(table_closed=table_pb2.TableClosed(table_id="t", ended=table_pb2.GAME_ENDING_TARGET))


def playing(*choices: Any) -> tuple[Scripted, Session]:
    bot = Scripted(*choices)
    session = Session(bot, "token")
    session.receive(welcome())
    session.receive(opened())
    return bot, session


def test_the_first_stream_begins_with_the_token_and_the_next_with_the_secret() -> None:
    session = Session(Scripted(), "token")
    first = session.hello().hello
    assert (first.token, first.session_secret, first.capabilities.resume) == ("token", "", True)
    session.receive(welcome())
    second = session.hello().hello
    assert (second.token, second.session_secret) == ("", SECRET), "a token works once"


def test_a_session_without_a_secret_cannot_be_taken_up() -> None:
    """Rule 8: a bot that the referee started exits when its stream ends."""
    session = Session(Scripted(), "token")
    session.receive(welcome(secret="", keep_ms=0))
    assert not session.can_resume


def test_after_goodbye_nothing_is_taken_up() -> None:
    _, session = playing()
    assert session.can_resume
    session.receive(seat_pb2.PlayResponse(goodbye=seat_pb2.Goodbye()))
    assert not session.can_resume


def test_it_may_come_back_while_its_seats_are_kept_or_its_decisions_are_open() -> None:
    _, session = playing(0)
    assert session.resumable_until(100.0) == 107.0
    before = time.monotonic()
    session.receive(requests("t"))
    assert before + 9.999 <= session.resumable_until(before) <= time.monotonic() + 9.999
    late = before + 60
    assert session.resumable_until(late) == late + 7, "these decisions are open no longer"


def test_a_welcome_that_does_not_await_ready_gets_none() -> None:
    bot, session = playing()
    assert session.receive(welcome("another", awaits_ready=False)) == []
    assert bot.told.count("prepare") == 1


def test_a_ready_that_was_lost_is_said_again_and_nothing_is_prepared_twice() -> None:
    bot = Scripted()
    session = Session(bot, "token")
    for secret in (SECRET, "another"):
        [ready] = session.receive(welcome(secret))
        assert ready.WhichOneof("message") == "ready"
    assert bot.told.count("prepare") == 1


def test_each_stream_begins_with_the_secret_of_the_last_welcome() -> None:
    session = Session(Scripted(), "token")
    for secret in (SECRET, "another", "a third"):
        session.receive(welcome(secret))
        assert session.hello().hello.session_secret == secret


def test_a_table_that_is_opened_again_stays_as_it_is() -> None:
    """A new table would restart its random numbers and the bot's notes."""
    bot, session = playing()
    session.receive(opened())
    assert len([told for told in bot.told if isinstance(told, Table)]) == 1


def test_a_decision_that_is_asked_again_gets_its_old_answer_and_the_bot_no_question() -> None:
    bot, session = playing(1)
    first = session.receive(requests("t"))
    assert session.receive(requests("t")) == first
    assert len(bot.asked) == 1


def test_a_resignation_is_said_again() -> None:
    bot, session = playing(RESIGN)
    first = session.receive(requests("t"))
    assert first[0].resign.table_id == "t"
    assert session.receive(requests("t")) == first
    assert len(bot.asked) == 1


def test_what_is_new_in_a_message_is_asked_and_the_rest_answered_from_memory() -> None:
    bot, session = playing(1, 2)
    session.receive(requests("t"))
    session.receive(opened("u"))
    [said] = session.receive(requests("t", "u"))
    answers = {answer.table_id: answer.action_index for answer in said.decisions.decisions}
    assert answers == {"t": 1, "u": 2}
    assert [decision.table.id for decision in bot.asked] == ["t", "u"]


def test_a_hand_and_a_table_end_once() -> None:
    bot, session = playing()
    for _ in range(2):
        session.receive(hand_ended(0))
    session.receive(hand_ended(1))
    for _ in range(2):
        session.receive(closed())
    session.receive(hand_ended(1))
    ends = [type(told[1]).__name__ for told in bot.told if isinstance(told, tuple)]
    assert ends == ["HandEnd", "HandEnd", "TableEnd"]


def test_all_attempts_together_last_no_longer_than_the_seats_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(connection_module, "time", SimpleNamespace(monotonic=lambda: now))
    session = Session(Scripted(), "token")
    connection = connection_module._Connection(lambda wait: SocketStream(""), session, "here", is_remote=True)
    session.receive(welcome())
    assert connection._may_dial_again()
    now += 3
    assert connection._may_dial_again()
    assert connection._patience_s() == 4
    now += 5
    assert not connection._may_dial_again()
    assert connection._patience_s() == 0
