"""Records of random games of every variant under random combinations of options."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bowerbird.engine import RecordError, variant_names
from bowerbird.harness.records.replay.replay import check, replay
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.game_record import GameRecord
from tests.support.engine.random_options import random_options
from tests.support.records.played_games import SEED, game

EACH = pytest.mark.parametrize("variant", variant_names())
SEEDS = st.integers(0, 2**32)
FEW = settings(max_examples=4)
HANDS = 3


def recorded(variant: str, seed: int) -> GameRecord:
    """Return a game of random play under random options, as the referee records it."""
    return game(variant, seed, options=random_options(variant, Random(seed), HANDS))


@EACH
@FEW
@given(seed=SEEDS)
def test_a_record_replays_to_the_same_result(variant: str, seed: int) -> None:
    """notation.md, Record of a game: its text is enough, with the run's seed and without it."""
    record = recorded(variant, seed)
    again = read(canonical(record))
    assert again == record
    check(again)
    check(again, SEED)
    *_, last = replay(again)
    assert (last.after.ended, last.after.winners, last.after.ranks, last.after.games, last.after.scores) == (
        *(record.result.ended, record.result.winners, record.result.ranks, record.result.games),
        record.scores,
    )


@EACH
@FEW
@given(seed=SEEDS)
def test_scores_and_result_follow_from_the_play(variant: str, seed: int) -> None:
    """Any other score after any hand, any other end, winner or place is refused."""
    record = recorded(variant, seed)
    for number, hand in enumerate(record.hands):
        seat = (seed + number) % len(hand.scores)
        scores = tuple(score + (k == seat) for k, score in enumerate(hand.scores))
        hands = (*record.hands[:number], replace(hand, scores=scores), *record.hands[number + 1 :])
        refused(replace(record, hands=hands), "scores")
    result = record.result
    losers = tuple(seat for seat in range(len(record.seats)) if seat not in result.winners)
    for name, other in (
        ("ended", replace(result, ended="sweep" if result.ended != "sweep" else "target")),
        ("winners", replace(result, winners=losers)),
        ("ranks", replace(result, ranks=tuple(rank + 1 for rank in result.ranks))),
    ):
        refused(replace(record, result=other), name)


def refused(record: GameRecord, what: str) -> None:
    """Assert that the record is refused: its play does not lead to what it states."""
    with pytest.raises(RecordError, match=what):
        check(record)
