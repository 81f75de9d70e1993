"""Records agree with the clock, the variants and the fault policy of their run: no run of ours writes others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.engine import RecordError
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.replay.replay import ReplayError, check
from bowerbird.harness.records.values.game_record import GameRecord, TimeControl
from bowerbird.harness.records.verify.run_rules import run_rules
from tests.support.records.archives import imported
from tests.support.records.played_games import game
from tests.support.records.tampering import Change, edited, members_of, packed

ARCHIVE = Path(__file__).parents[2] / "fixtures" / "archives" / "version-8.tar.gz"
"""A run that was really played, with its tournament file: 1000 ms for a decision, 5000 ms in the bank."""

CHANGES: dict[str, tuple[Change, str]] = {
    "clock": (
        edited("games/", r"per_decision_ms = 1000", "per_decision_ms = 999"),
        "its per_decision is 999, but 1000",
    ),
    "bank": (edited("games/", r"bank_ms = 5000", "bank_ms = 6000"), "its bank is 6000, but 5000"),
    "policy": (
        edited("games/", r'^on_fault = "forfeit"', 'on_fault = "substitute"'),
        "its on_fault is substitute, but",
    ),
    "time": (
        edited("games/", r"^ms = \[\d+", "ms = [9000"),
        "9000 ms are charged without a TIMEOUT, but its clock allows ",
    ),
    "sets after the seed": (
        edited("run.toml", r"^(engine = .*)$", "sets_after_seed = 1000\\n\\1"),
        "1000 deal sets were added after the seed, and there are ",
    ),
}
"""What somebody changes who recomputes every digest, and the sentence about it."""


@pytest.mark.parametrize("what", CHANGES)
def test_what_its_tournament_file_contradicts_is_refused(tmp_path: Path, what: str) -> None:
    change, said = CHANGES[what]
    members = members_of(ARCHIVE)
    members.pop("signature.toml", None)
    imported(tmp_path / "right.db", packed(tmp_path / "right.tar.gz", members))
    with pytest.raises((RecordError, StoreError), match=said):
        imported(tmp_path / "wrong.db", packed(tmp_path / "wrong.tar.gz", change(members)))


CLOCK = TimeControl(per_decision_ms=100, bank_ms=50, increment_ms=10)


def timed(times: Sequence[int], clock: TimeControl = CLOCK) -> GameRecord:
    """Return a game whose first seat was charged these times for its first decisions that the referee did not make."""
    record = game("euchre")
    hand = record.hands[0]
    made = {*hand.forced, *hand.substituted}
    asked = [number for number in range(len(hand.actions)) if number not in made]
    seat = hand.actions[asked[0]].partition(" ")[0]
    own = [number for number in asked if hand.actions[number].startswith(f"{seat} ")]
    at = dict(zip(own, times, strict=False))
    first = replace(hand, ms=tuple(at.get(number, 0) for number in range(len(hand.actions))))
    later = [replace(one, ms=(0,) * len(one.actions)) for one in record.hands[1:]]
    conditions = replace(record.conditions, time=clock)
    return replace(record, hands=(first, *later), conditions=conditions)


@pytest.mark.parametrize("times", [(180,), (130, 130, 121), (161, 119), (180, 120)])
def test_a_seat_may_use_its_budget_its_bank_and_the_margin(times: Sequence[int]) -> None:
    check(timed(times), margin_ms=20)


@pytest.mark.parametrize(
    ("times", "allowed"), [((181,), 180), ((160, 123), 121), ((160, 100, 150), 121), ((130, 130, 130), 121)]
)
def test_a_bank_is_used_once(times: Sequence[int], allowed: int) -> None:
    with pytest.raises(ReplayError, match=rf"charged without a TIMEOUT, but its clock allows {allowed} ms"):
        check(timed(times), margin_ms=20)


def test_the_time_of_a_game_is_used_once() -> None:
    clock = replace(CLOCK, game_ms=150)
    check(timed((90, 79), clock), margin_ms=20)
    with pytest.raises(ReplayError, match="its clock allows 81 ms"):
        check(timed((90, 82), clock), margin_ms=20)


@pytest.mark.parametrize("config", ["", "[tournament]\n", "[time\n", "variant = 3\ntime = 3\n"])
def test_what_a_file_does_not_say_is_not_compared(config: str) -> None:
    assert run_rules(config).wrong_conditions(game("euchre")) == ""
