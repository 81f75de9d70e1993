"""Whole games in one process, as a bot's author tries out a bot."""

from __future__ import annotations

from typing import Any

import pytest

from bowerbird.engine import EngineError, Event, IllegalAction, new_game, variant_names
from bowerbird.harness.sdk import RESIGN, Bot, Capabilities, Decision, HandEnd, Table, TableEnd
from bowerbird.harness.sdk.local import ResignedError, play


class Drawing(Bot):
    """A bot that plays at random and keeps what it saw."""

    def __init__(self) -> None:
        self.closed: list[TableEnd] = []
        self.opened: list[Table] = []
        self.forced = 0

    def act(self, decision: Decision) -> int:
        assert decision.view.actor == decision.table.seat == decision.view.seat
        self.forced += decision.choices == 1
        return decision.table.rng.randrange(decision.choices)

    def table_opened(self, table: Table) -> None:
        self.opened.append(table)

    def table_closed(self, table: Table, end: TableEnd) -> None:
        self.closed.append(end)


def seats_of(variant: str) -> int:
    return new_game(variant, seed=bytes(32)).players


@pytest.mark.parametrize("variant", variant_names())
def test_every_variant_is_played_to_its_end(variant: str) -> None:
    bot = Drawing()
    game = play(variant, [bot] * seats_of(variant), seed="a", options={"max_hands": 4})
    assert game.is_over
    assert [end.ranks for end in bot.closed] == [game.ranks] * game.players
    assert [table.seat for table in bot.opened] == list(range(game.players))
    assert bot.forced == 0


def test_a_seed_may_be_a_number() -> None:
    first, second = (play("euchre", [Drawing() for _ in range(4)], seed=seed) for seed in (1, "1"))
    assert first.results == second.results


def test_one_seed_gives_one_game() -> None:
    def packs(seed: str) -> list[tuple[str, ...]]:
        return [hand.packs for hand in play("euchre", [Drawing() for _ in range(4)], seed=seed).results]

    assert packs("a") == packs("a")
    assert packs("a") != packs("b")


def test_partners_are_told_of_each_other() -> None:
    bot = Drawing()
    play("euchre", [bot] * 4, seed="a", options={"max_hands": 1})
    assert [table.partners for table in bot.opened] == [(2,), (3,), (0,), (1,)]


def test_a_bot_that_wants_them_is_asked_forced_decisions() -> None:
    class Thorough(Drawing):
        capabilities = Capabilities(wants_forced=True)

    bot = Thorough()
    play("euchre", [bot] * 4, seed="a", options={"max_hands": 2})
    assert bot.forced > 0


def test_events_tell_a_bot_everything_that_was_public() -> None:
    """Rule 3: a bot that wants increments uses the events, which together are the whole public history."""

    class Listening(Drawing):
        capabilities = Capabilities(wants_events=True)

        def __init__(self) -> None:
            super().__init__()
            self.hands: list[list[Event]] = [[]]

        def act(self, decision: Decision) -> int:
            self.hands[-1] += decision.events
            assert tuple(self.hands[-1]) == decision.view.history
            return super().act(decision)

        def hand_ended(self, table: Table, end: HandEnd) -> None:
            self.hands[-1] += end.events
            self.hands.append([])

    bots = [Listening() for _ in range(4)]
    game = play("buck", bots, seed="a", options={"max_hands": 5})
    for bot in bots:
        assert [tuple(hand) for hand in bot.hands[:-1]] == [hand.history for hand in game.results]


def answering(choice: Any) -> list[Bot]:
    class Answering(Bot):
        def act(self, decision: Decision) -> Any:
            return choice

    return [Answering() for _ in range(4)]


@pytest.mark.parametrize("choice", ["play 9s", 99, -1])
def test_an_illegal_choice_comes_through_as_the_engines_error_and_is_told_once(
    choice: object, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(IllegalAction):
        play("euchre", answering(choice), seed="a")
    assert capfd.readouterr().err == ""


def test_a_resignation_names_the_seat() -> None:
    with pytest.raises(ResignedError, match="seat") as caught:
        play("euchre", answering(RESIGN), seed="a")
    assert caught.value.seat in range(4)


def test_what_a_bot_raises_comes_through() -> None:
    class Broken(Bot):
        def act(self, decision: Decision) -> int:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        play("euchre", [Broken() for _ in range(4)], seed="a")


def test_the_number_of_bots_has_to_fit() -> None:
    with pytest.raises(ValueError, match="got 3 bots; euchre has 4 seats"):
        play("euchre", [Drawing()] * 3)


@pytest.mark.parametrize(
    ("bot", "sentence"),
    [
        (Drawing, r"Drawing is a class, not a bot: write Drawing\(\)"),
        (Bot(), r"Bot has neither act\(self, decision\) nor act_batch\(self, decisions\)"),
        (7, "7 is not a bot"),
    ],
)
def test_what_is_no_bot_is_said_before_a_card_is_dealt(bot: Any, sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        play("euchre", [Drawing(), Drawing(), Drawing(), bot])


def test_a_wrong_variant_is_the_engines_error() -> None:
    with pytest.raises(EngineError):
        play("bukc", [Drawing()] * 4)
