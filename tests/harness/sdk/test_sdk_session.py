"""A bot's answer to each message, without a transport (protocol.md, Decisions and Batches)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from bowerbird.engine import Action, Event, HandResult, rules_of
from bowerbird.harness.sdk import RESIGN, Bot, Capabilities, Decision, Fault, HandEnd, TableEnd
from bowerbird.harness.sdk.session import RefusedError, Session
from bowerbird.harness.wire import encode
from bowerbird.seat.v1 import seat_pb2
from tests.support.wire.scripted_bot import Scripted, first_decision, opened, requests


def seated(bot: Bot, *table_ids: str) -> Session:
    session = Session(bot, "token")
    for name in table_ids or ("t",):
        assert session.receive(opened(name)) == []
    return session


def only_answer(choice: Any) -> seat_pb2.Decision:
    session = seated(Scripted(choice))
    [said] = session.receive(requests("t"))
    [answer] = said.decisions.decisions
    return answer


@pytest.mark.parametrize("choice", [1, "order", Action.parse("order"), lambda d: d.legal[1]])
def test_an_index_a_token_and_an_action_name_the_same_choice(choice: Any) -> None:
    answer = only_answer(choice)
    assert (answer.table_id, answer.decision_id, answer.action_index) == ("t", 0, 1)


def test_the_first_action_is_said_and_not_left_out() -> None:
    """Rule 2: an unset index never means "the first"."""
    assert only_answer(0).HasField("action_index")


@pytest.mark.parametrize("choice", [2, "order alone", Action.parse("order alone")])
def test_a_legal_choice_is_sent_as_its_index(choice: Any) -> None:
    """Decision.choice is an index or a token, never both; the index is the shorter one."""
    answer = only_answer(choice)
    assert (answer.WhichOneof("choice"), answer.action_index) == ("action_index", 2)


def test_what_is_not_legal_is_left_to_the_referee(capsys: pytest.CaptureFixture[str]) -> None:
    answer = only_answer("play As")
    assert (answer.HasField("action_index"), answer.action) == (False, "play As")
    assert "act() chose 'play As', which is not legal" in capsys.readouterr().err


@pytest.mark.parametrize(("index", "sent"), [(99, True), (-1, False)])
def test_an_index_out_of_range_is_left_to_the_referee(
    index: int, sent: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = only_answer(index)
    assert answer.HasField("action_index") is sent
    assert f"act() chose the index {index}, but there are 3 actions" in capsys.readouterr().err


@pytest.mark.parametrize("choice", [None, 1.0, ["pass"], True])
def test_what_is_no_choice_at_all_raises(choice: Any) -> None:
    with pytest.raises(TypeError, match="must return a legal action, its index or its token"):
        only_answer(choice)


def test_a_batch_is_answered_in_one_message() -> None:
    session = seated(Scripted(0, 1, 2), "a", "b", "c")
    [said] = session.receive(requests("a", "b", "c"))
    answers = [(d.table_id, d.decision_id, d.action_index) for d in said.decisions.decisions]
    assert answers == [("a", 0, 0), ("b", 1, 1), ("c", 2, 2)]


def test_act_batch_decides_for_all_tables_together() -> None:
    class Together(Bot):
        def act_batch(self, decisions: Sequence[Decision]) -> Sequence[int]:
            return [len(decisions) - 1] * len(decisions)

    session = seated(Together(), "a", "b", "c")
    [said] = session.receive(requests("a", "b", "c"))
    assert [decision.action_index for decision in said.decisions.decisions] == [2, 2, 2]


def test_act_batch_has_to_answer_everything() -> None:
    class Short(Bot):
        def act_batch(self, decisions: Sequence[Decision]) -> Sequence[int]:
            return [0]

    with pytest.raises(ValueError, match="was asked 2 decisions and returned 1 choices"):
        seated(Short(), "a", "b").receive(requests("a", "b"))


@pytest.mark.parametrize("choices", [None, 0, (0 for _ in range(2))])
def test_act_batch_has_to_return_what_can_be_counted(choices: Any) -> None:
    class Single(Bot):
        def act_batch(self, decisions: Sequence[Decision]) -> Any:
            return choices

    with pytest.raises(TypeError, match="it must return a list with one choice for each of its 2 decisions"):
        seated(Single(), "a", "b").receive(requests("a", "b"))


def test_a_decision_reads_like_a_position() -> None:
    bot = Scripted(0)
    seated(bot).receive(requests("t"))
    [decision] = bot.asked
    first, *lines = str(decision).splitlines()
    assert first == "euchre, seat 0 of 4, hand 0, dealer 3: order up"
    said = dict(line.split(maxsplit=1) for line in lines)
    assert said["hand"] == " ".join(decision.view.hand)
    assert said["trump"] == "not fixed"
    assert said["legal"] == "pass | order | order alone"


def test_a_bot_can_resign_at_one_table_and_play_on_at_another() -> None:
    session = seated(Scripted(RESIGN, 1), "a", "b")
    answers, resignation = session.receive(requests("a", "b"))
    assert [decision.table_id for decision in answers.decisions.decisions] == ["b"]
    assert resignation.resign.table_id == "a"


def test_a_bot_that_only_resigns_answers_nothing_else() -> None:
    [resignation] = seated(Scripted(RESIGN)).receive(requests("t"))
    assert resignation.resign.table_id == "t"


def test_a_bot_without_act_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match=r"Bot has no act\(self, decision\)"):
        seated(Bot()).receive(requests("t"))


def test_a_decision_shows_all_that_the_request_carries() -> None:
    """Rule 3: a stateless bot sees everything in the engine's own view."""
    bot = Scripted(0)
    events = (Event(2, Action.parse("pass")),)
    session = seated(bot)
    session.receive(requests("t", events=events))
    _, view = first_decision()
    [decision] = bot.asked
    assert decision.view == view
    assert decision.legal == view.legal
    assert decision.choices == len(view.legal)
    assert decision.events == events
    assert (decision.id, decision.budget_ms, decision.bank_ms, decision.charged_ms) == (0, 1000, 4999, 17)
    assert decision.remaining_ms == 5999
    table = decision.table
    assert (table.id, table.seat, table.players, table.partners, table.variant) == ("t", 0, 4, (2,), "euchre")
    assert (table.per_decision_ms, table.bank_ms, table.increment_ms, table.on_fault) == (1000, 5000, 10, "forfeit")
    assert table.options == view.options
    rules = rules_of("euchre").rules()
    assert (table.pack, table.copies, table.hand_size, table.tricks) == (tuple(rules.pack.bits), 1, 5, 5)
    assert (table.sides, table.score_order) == ((0, 1, 0, 1), "high")


def test_a_game_can_be_sampled_from_a_decision() -> None:
    bot = Scripted(0)
    seated(bot).receive(requests("t"))
    [decision] = bot.asked
    assert decision.sample_game(random.Random(1)).view(0) == decision.view


def test_the_tables_random_numbers_come_from_its_seed() -> None:
    def drawn(draws: Callable[[Decision], int]) -> list[int]:
        session = seated(Scripted(draws, draws))
        said = [session.receive(requests("t"))[0] for _ in range(2)]
        return [request.decisions.decisions[0].action_index for request in said]

    def draw(decision: Decision) -> int:
        return decision.table.rng.randrange(decision.choices)

    assert drawn(draw) == drawn(draw)


def test_a_note_goes_with_the_answer() -> None:
    def noted(decision: Decision) -> int:
        decision.note = "why not"
        return 0

    assert only_answer(noted).note == "why not"


def test_a_bot_is_told_how_hands_and_games_end() -> None:
    bot = Scripted()
    session = seated(bot)
    events = (Event(1, Action("pass")),)
    shown = ((), ("9s", "Ts"), (), ())
    hand = HandResult(3, 0, rules_of("euchre").rules().pack, (), (2, 0, 2, 0), (), "scored", (), events, (), shown)
    session.receive(seat_pb2.PlayResponse.FromString(encode.hand_ended("t", hand, events)))
    fault = encode.fault(1, "TIMEOUT")
    session.receive(
        encode.table_closed(
            table_id="t", ranks=(1, 2, 1, 2), scores=(2, 0, 2, 0), games=(), ended="forfeit", faults=[fault]
        )
    )
    assert bot.told[1:] == [
        ("t", HandEnd(3, (2, 0, 2, 0), (), "scored", (Event(1, Action("pass")),), shown)),
        ("t", TableEnd((1, 2, 1, 2), (2, 0, 2, 0), (), "forfeit", (Fault(1, "TIMEOUT", ""),))),
    ]


def test_ready_is_said_when_the_bot_is_prepared() -> None:
    bot = Scripted()
    session = Session(bot, "token")
    [ready] = session.receive(seat_pb2.PlayResponse(welcome=seat_pb2.Welcome(protocol_version=1, awaits_ready=True)))
    assert ready.WhichOneof("message") == "ready"
    assert bot.told == ["prepare"]


def test_hello_names_the_class_if_the_bot_has_no_name() -> None:
    hello = Session(Scripted(), "secret").hello().hello
    assert (hello.token, hello.bot_name, list(hello.protocol_versions)) == ("secret", "Scripted", [1])
    able = Capabilities()
    assert (hello.capabilities.max_tables, hello.capabilities.max_batch) == (able.max_tables, able.max_batch)
    assert not hello.capabilities.wants_events
    assert (list(hello.capabilities.features), hello.capabilities.min_decision_ms) == (
        ["lone", "low", "misdeal", "show"],
        0,
    )


def test_hello_says_that_the_bot_ponders_and_what_time_it_needs() -> None:
    class Ponderer(Scripted):
        capabilities = Capabilities(ponders=True, min_decision_ms=250)

    able = Session(Ponderer(), "secret").hello().hello.capabilities
    assert (list(able.features), able.min_decision_ms) == (["lone", "low", "misdeal", "show", "ponder"], 250)


def test_goodbye_ends_the_session() -> None:
    session = Session(Scripted())
    assert session.receive(seat_pb2.PlayResponse(goodbye=seat_pb2.Goodbye())) == []
    assert session.is_over


def test_a_message_of_an_unknown_kind_is_ignored() -> None:
    """Rule 9."""
    session = Session(Scripted())
    assert session.receive(seat_pb2.PlayResponse()) == []
    assert not session.is_over


def test_a_fatal_error_ends_the_session_with_its_sentence() -> None:
    fatal = seat_pb2.Error(code=seat_pb2.ERROR_CODE_TOKEN, message="no such token", hint="ask", fatal=True)
    with pytest.raises(RefusedError, match=r"no such token \(ask\)") as caught:
        Session(Scripted()).receive(seat_pb2.PlayResponse(error=fatal))
    assert caught.value.retry_after_ms is None


def test_a_fatal_error_that_is_retryable_says_how_long_to_wait() -> None:
    busy = seat_pb2.Error(code=seat_pb2.ERROR_CODE_BUSY, fatal=True, retryable=True, retry_after_ms=700)
    with pytest.raises(RefusedError) as caught:
        Session(Scripted()).receive(seat_pb2.PlayResponse(error=busy))
    assert caught.value.retry_after_ms == 700
