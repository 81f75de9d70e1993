"""Only deal sets that are drawn by lot choose the pairs of an adaptive run (pairing.md, Drawn by lot)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import combinations

from bowerbird.harness.ratings.standings.rating_list import rating_list
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import GameId, SetKey
from bowerbird.harness.tournament.pairing.planner import (
    DRAWN_EVERY,
    PairingTerms,
    PlannedRound,
    RoundPlanner,
    is_drawn,
)
from bowerbird.harness.tournament.pairing.values import LOT, PairingBot, PairingTable

BOTS = tuple(f"copy{number:02}" for number in range(12))
SEED = bytes(range(32))

Score = Callable[[SetKey, int], int]
"""Return 1 if the first bot of a line-up wins the game of this set and rotation, else 0."""


def terms(bots: Sequence[str], sets: int, *, by_lot: bool = True) -> PairingTerms:
    tables = tuple(PairingTable("euchre-0", f"{a}+{b}", ((a,), (b,)), 2) for a, b in combinations(bots, 2))
    return PairingTerms(tuple(map(PairingBot, bots)), tables, sets, 12, by_lot)


def games_of(key: SetKey, score: Score) -> list[GameResult]:
    one, other = key.lineup.split("+")
    return [
        GameResult(
            id=GameId("4f1c9a", key.entry, key.lineup, key.number, rotation),
            variant="euchre",
            bots=(one, other) if rotation == 0 else (other, one),
            sides=(0, 1),
            ranks=(1, 2) if score(key, rotation) == (rotation == 0) else (2, 1),
            scores=(),
            offenders=(),
            rated=True,
            decisions=40,
            thinking_ms=(50, 50),
            own_packs=True,
        )
        for rotation in range(2)
    ]


def played(which: PairingTerms, score: Score) -> tuple[list[PlannedRound], list[GameResult]]:
    """Return the rounds of a run with these results, and its games."""
    planner = RoundPlanner(which, SEED)
    rounds, games = [], list[GameResult]()
    while (planned := planner.next_round()) is not None:
        found = {key: games_of(key, score) for key, _ in planned.sets}
        planner.add(found)
        rounds.append(planned)
        games += [game for one in found.values() for game in one]
    return rounds, games


def by_chance(seed: int) -> Score:
    return lambda key, rotation: random.Random(f"{seed} {key} {rotation}").randrange(2)


def test_results_of_sets_that_were_not_drawn_choose_no_pair() -> None:
    """Every other result is reversed, and the same pairs meet."""
    usual = by_chance(1)

    def turned(key: SetKey, rotation: int) -> int:
        return usual(key, rotation) if is_drawn(key) else 1 - usual(key, rotation)

    which = terms(BOTS[:6], 120)
    assert [one.sets for one in played(which, usual)[0]] == [one.sets for one in played(which, turned)[0]]


def test_results_of_drawn_sets_choose_the_pairs() -> None:
    usual = by_chance(1)

    def turned(key: SetKey, rotation: int) -> int:
        return 1 - usual(key, rotation) if is_drawn(key) else usual(key, rotation)

    which = terms(BOTS[:6], 120)
    assert [one.sets for one in played(which, usual)[0]] != [one.sets for one in played(which, turned)[0]]


def test_one_set_of_twenty_is_drawn_and_its_number_says_so() -> None:
    rounds, _ = played(terms(BOTS[:6], 200), by_chance(1))
    chosen = [pair for one in rounds for pair in one.sets]
    drawn = [key for key, choice in chosen if choice.reason.kind == LOT]
    assert len(chosen) == 200
    assert abs(len(drawn) - 200 // DRAWN_EVERY) <= 1
    assert all(is_drawn(key) == (choice.reason.kind == LOT) for key, choice in chosen)


def test_every_bot_has_about_as_many_drawn_sets() -> None:
    rounds, _ = played(terms(BOTS[:6], 300), by_chance(1))
    drawn = [key.lineup.split("+") for one in rounds for key, _ in one.sets if is_drawn(key)]
    counts = [sum(bot in bots for bots in drawn) for bot in BOTS[:6]]
    assert max(counts) - min(counts) <= 1, counts


def test_runs_that_began_before_that_rule_draw_none() -> None:
    rounds, _ = played(terms(BOTS[:4], 60, by_lot=False), by_chance(1))
    assert LOT not in {choice.reason.kind for one in rounds for _, choice in one.sets}


def test_twelve_copies_of_a_bot_share_their_ranks() -> None:
    """With the older rule, by which all results choose the pairs, most such runs told copies apart."""
    _, games = played(terms(BOTS, 300), by_chance(3))
    assert {(line.rank, line.last_rank) for line in rating_list(games).lines} == {(1, 12)}
