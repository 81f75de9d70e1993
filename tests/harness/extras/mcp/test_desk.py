"""The desk: what an agent may know and do, on a clock that the test controls."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
import trio

from bowerbird.harness.extras.mcp.desk import Desk, SeatError

OPENED = {
    "variant": "euchre",
    "options": {},
    "seat": 1,
    "players": 4,
    "per_decision_ms": 1000,
    "bank_ms": 9000,
    "on_fault": "forfeit",
    "seed": "5ec7e7" * 10,
}
LEGAL = ["pass", "order", "order alone"]


class Told:
    """A desk with the answers that reach its bots."""

    def __init__(self) -> None:
        self.desk = Desk()
        self.desk.begun()
        self.answers: list[Mapping[str, object]] = []

    def open(self, table: str, line: int = 0) -> None:
        self.desk.table_opened(line, {**OPENED, "table": table})

    def ask(self, table: str, number: int, line: int = 0, ms: int = 10_000) -> None:
        events = [{"seat": 0, "action": "pass"}]
        view = {"hand": ["Jc"]}
        said = {"table": table, "id": number, "legal": LEGAL, "remaining_ms": ms, "events": events, "view": view}
        self.desk.decision(line, said, self.answers.append)

    def close(self, table: str, line: int = 0) -> None:
        self.desk.table_closed(
            line, {"table": table, "ranks": [1, 2, 1, 2], "scores": [1, 0, 1, 0], "ended": "limit", "faults": []}
        )


@pytest.fixture
def told() -> Told:
    return Told()


def _name(told: Told) -> str:
    shown = told.desk.shown()
    assert shown is not None
    return shown.name


@pytest.mark.mock_clock
async def test_an_action_is_chosen_by_its_token_or_its_number_from_1(told: Told) -> None:
    told.open("t")
    for number, (said, meant) in enumerate([("order", "order"), (2, "order"), ("2", "order"), (3, "order alone")]):
        told.ask("t", number)
        assert told.desk.act(_name(told), said) == meant
    assert [answer["id"] for answer in told.answers] == [0, 1, 2, 3]
    assert [answer["action"] for answer in told.answers] == ["order", "order", "order", "order alone"]


@pytest.mark.mock_clock
@pytest.mark.parametrize("said", [True, False, None, 0, 4, -1, 1.0, "", "Order", "²", "1" * 10_000, [1], {}])
async def test_what_is_no_legal_action_is_refused_with_what_is(told: Told, said: object) -> None:
    told.open("t")
    told.ask("t", 0)
    with pytest.raises(SeatError, match=r"legal are 1 \(pass\), 2 \(order\), 3 \(order alone\)") as refused:
        told.desk.act(_name(told), said)
    assert len(str(refused.value)) < 200
    assert told.answers == []


@pytest.mark.mock_clock
async def test_an_answer_counts_once_and_may_be_repeated(told: Told) -> None:
    told.open("t")
    told.ask("t", 0)
    name = _name(told)
    assert told.desk.act(name, 2) == told.desk.act(name, 2) == told.desk.act(name, "order") == "order"
    for other in (1, "pass", True):
        with pytest.raises(SeatError, match="already answered with 'order'"):
            told.desk.act(name, other)
    assert len(told.answers) == told.desk.decisions_made == 1


@pytest.mark.mock_clock
async def test_tokens_of_an_agent_are_a_figure_of_its_decision(told: Told) -> None:
    told.open("t")
    for number, tokens in enumerate((1200, None)):
        told.ask("t", number)
        told.desk.act(_name(told), 1, tokens)
    assert [answer["note"] for answer in told.answers] == ["figures: tokens=1200", ""]


@pytest.mark.mock_clock
async def test_a_late_answer_is_refused(told: Told) -> None:
    told.open("t")
    told.ask("t", 0, ms=5000)
    name = _name(told)
    await trio.sleep(5)
    assert told.desk.shown() is None
    with pytest.raises(SeatError, match="time was up"):
        told.desk.act(name, 1)
    assert told.answers == []


@pytest.mark.mock_clock
async def test_a_decision_ends_with_its_game_and_with_its_line(told: Told) -> None:
    told.open("t")
    told.ask("t", 0)
    first = _name(told)
    told.close("t")
    told.open("u", line=1)
    told.ask("u", 0, line=1)
    second = _name(told)
    told.desk.line_lost(1)
    for name, why in ((first, "the game is over"), (second, "connection")):
        with pytest.raises(SeatError, match=why):
            told.desk.act(name, 1)
    assert told.desk.tables == ()
    assert [(game.rank, game.variant) for game in told.desk.games] == [(2, "euchre")]


@pytest.mark.mock_clock
async def test_one_decision_is_shown_until_it_is_closed_and_the_order_tells_nothing(told: Told) -> None:
    first: set[int] = set()
    for round_ in range(40):
        for line in range(2):
            told.open(f"t{round_}", line)
            told.ask(f"t{round_}", 0, line)
        shown = told.desk.shown()
        assert shown is not None
        assert told.desk.shown() is shown
        told.desk.act(shown.name, 1)
        first.add([*told.desk._tables.values()].index(shown.table) % 2)
        told.desk.act(_name(told), 1)
    assert first == {0, 1}


@pytest.mark.mock_clock
async def test_names_tell_nothing_and_the_seed_is_dropped(told: Told) -> None:
    told.open("4f1c9a/euchre-0/ada+greedy/0/0")
    told.ask("4f1c9a/euchre-0/ada+greedy/0/0", 0)
    shown = told.desk.shown()
    assert shown is not None
    assert re.fullmatch("table-[0-9a-f]{6}", shown.table.name)
    assert re.fullmatch("d-[0-9a-f]{8}", shown.name)
    told_all = f"{shown} {told.desk.tables} {told.desk.news}"
    assert "4f1c9a" not in told_all
    assert "5ec7e7" not in told_all


@pytest.mark.mock_clock
async def test_waiting_ends_at_a_decision_and_when_none_can_come(told: Told) -> None:
    async with trio.open_nursery() as nursery:

        async def later() -> None:
            await trio.sleep(3)
            told.open("t")
            told.ask("t", 0)

        nursery.start_soon(later)
        assert await told.desk.wait(50) is not None
        assert trio.current_time() < 50
    told.close("t")
    before = trio.current_time()
    assert await told.desk.wait(50) is None
    assert trio.current_time() - before == pytest.approx(50)
    told.desk.ended("no process")
    assert await told.desk.wait(50) is None
    assert trio.current_time() - before == pytest.approx(50)


@pytest.mark.mock_clock
async def test_news_is_kept_until_the_agent_acts_and_is_bounded(told: Told) -> None:
    told.open("t")
    for number in range(300):
        told.ask("t", number)
    assert len(told.desk.news) == 200
    assert told.desk.news[-1].endswith("seat 0: pass")
    told.desk.act(_name(told), 1)
    assert told.desk.news == ()
