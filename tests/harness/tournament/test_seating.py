"""Line-ups and their rotations (RATINGS.md, Deal sets and Line-ups)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from harness.tournament.seating import (
    FREE_FOR_ALL,
    TEAMS,
    Lineup,
    SeatingError,
    balanced_sample,
    default_kind,
    lineups,
)

EUCHRE_SIDES = ((0, 2), (1, 3))
CORNISH_SIDES = ((0, 2, 4), (1, 3, 5))


def texts(made: tuple[Lineup, ...]) -> list[str]:
    return [lineup.text for lineup in made]


def seated(lineup: Lineup, rotation: int) -> str:
    """Who sits where, by seat."""
    seats = {seat: lineup.positions[position] for position, seat in enumerate(lineup.rotations[rotation])}
    return "".join(seats[seat] for seat in sorted(seats))


def test_fixed_sides_are_played_by_teams_and_the_others_free_for_all() -> None:
    assert default_kind(EUCHRE_SIDES) == TEAMS
    assert default_kind(None) == FREE_FOR_ALL


def test_teams_meet_in_all_pairs_and_change_sides_once() -> None:
    made = lineups(TEAMS, ["a", "b", "c"], 4, EUCHRE_SIDES)
    assert texts(made) == ["a+b", "a+c", "b+c"]
    assert [seated(made[0], rotation) for rotation in range(2)] == ["abab", "baba"]
    assert len(made[0].rotations) == 2


def test_three_on_a_side_change_sides_together() -> None:
    (made,) = lineups(TEAMS, ["a", "b"], 6, CORNISH_SIDES)
    assert [seated(made, rotation) for rotation in range(2)] == ["ababab", "bababa"]


def test_two_players_meet_in_all_pairs() -> None:
    made = lineups(FREE_FOR_ALL, ["a", "b", "c"], 2, None)
    assert texts(made) == ["a+b", "a+c", "b+c"]
    assert [seated(made[2], rotation) for rotation in range(2)] == ["bc", "cb"]


def test_fewer_bots_than_seats_are_doubled_equally_often() -> None:
    assert texts(lineups(FREE_FOR_ALL, ["a", "b", "c"], 4, None)) == ["a+a+b+c", "a+b+b+c", "a+b+c+c"]
    assert texts(lineups(FREE_FOR_ALL, ["a", "b"], 4, None)) == ["a+a+b+b"]
    assert texts(lineups(FREE_FOR_ALL, ["a", "b"], 3, None)) == ["a+a+b", "a+b+b"]
    assert texts(lineups(FREE_FOR_ALL, ["a", "b", "c"], 7, None)) == [
        "a+a+a+b+b+c+c",
        "a+a+b+b+b+c+c",
        "a+a+b+b+c+c+c",
    ]


@pytest.mark.parametrize("seats", range(2, 8))
@pytest.mark.parametrize("bots", range(2, 8))
def test_every_bot_plays_as_often_as_every_other(bots: int, seats: int) -> None:
    names = [f"bot{index}" for index in range(bots)]
    made = lineups(FREE_FOR_ALL, names, seats, None)
    counts = Counter(bot for lineup in made for bot in lineup.positions)
    assert set(counts) == set(names)
    assert len(set(counts.values())) == 1, counts
    assert len(set(texts(made))) == len(made), "a line-up comes twice"
    assert all(len(lineup.positions) == seats for lineup in made)


@pytest.mark.parametrize(("kind", "seats", "sides"), [(TEAMS, 4, EUCHRE_SIDES), (FREE_FOR_ALL, 5, None)])
def test_every_position_sits_once_a_rotation_and_meets_every_seat_or_side(
    kind: str, seats: int, sides: tuple[tuple[int, ...], ...] | None
) -> None:
    for lineup in lineups(kind, ["a", "b", "c"], seats, sides):
        for rotation in lineup.rotations:
            assert sorted(rotation) == list(range(seats))
        for position in range(seats):
            visited = {rotation[position] for rotation in lineup.rotations}
            if sides is None:
                assert visited == set(range(seats))
            else:
                assert all(visited & set(side) for side in sides)


def test_a_position_moves_one_seat_on_in_each_rotation() -> None:
    lineup = lineups(FREE_FOR_ALL, ["a", "b", "c", "d"], 4, None)[0]
    assert [seated(lineup, rotation) for rotation in range(4)] == ["abcd", "dabc", "cdab", "bcda"]


def test_few_bots_play_all_tables() -> None:
    assert len(lineups(FREE_FOR_ALL, list("abcdefg"), 4, None)) == 35


@pytest.mark.parametrize(("bots", "seats"), [(8, 4), (9, 3), (10, 4), (12, 5), (12, 6), (20, 7)])
def test_many_bots_play_a_balanced_sample(bots: int, seats: int) -> None:
    tables = balanced_sample(bots, seats)
    counts = Counter(bot for table in tables for bot in table)
    assert set(counts) == set(range(bots))
    assert len(set(counts.values())) == 1, f"some play more tables than others: {counts}"
    assert len(set(tables)) == len(tables), "a table comes twice"
    met = Counter(pair for table in tables for pair in combinations(table, 2))
    assert len(met) == bots * (bots - 1) // 2, "a pair never meets"
    assert tables == balanced_sample(bots, seats)


def test_pairs_are_never_sampled() -> None:
    assert len(lineups(FREE_FOR_ALL, [f"bot{index}" for index in range(20)], 2, None)) == 190


def test_one_bot_cannot_fill_a_table() -> None:
    with pytest.raises(SeatingError, match="7 seats cannot be filled by 1 bot, at least 2 bots are needed"):
        lineups(FREE_FOR_ALL, ["a"], 7, None)


def test_teams_need_fixed_sides() -> None:
    with pytest.raises(SeatingError, match="without fixed sides cannot be played by teams, 'free-for-all' is allowed"):
        lineups(TEAMS, ["a", "b"], 4, None)


def test_fixed_sides_are_not_broken_up() -> None:
    with pytest.raises(SeatingError, match="with fixed sides cannot be played free for all, 'teams' is allowed"):
        lineups(FREE_FOR_ALL, ["a", "b", "c", "d"], 4, EUCHRE_SIDES)
