"""Line-ups and their rotations (ratings.md, Deal sets and Line-ups)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import pytest

from bowerbird.harness.records.values.seat_orders import seat_orders
from bowerbird.harness.tournament.lineups import (
    FIXED,
    FREE_FOR_ALL,
    MIXED,
    ONE_VS_REST,
    TEAMS,
    Lineup,
    MeetingRules,
    SeatingError,
    Sides,
    balanced_sample,
    default_kind,
    lineups,
)

EUCHRE_SIDES = ((0, 2), (1, 3))
CORNISH_SIDES = ((0, 2, 4), (1, 3, 5))


def texts(made: tuple[Lineup, ...]) -> list[str]:
    return [lineup.text for lineup in made]


def seated(lineup: Lineup, rotation: int) -> str:
    """Return the bots by seat."""
    seats = {seat: lineup.positions[position] for position, seat in enumerate(lineup.rotations[rotation])}
    return "".join(seats[seat] for seat in sorted(seats))


def test_fixed_sides_are_played_by_teams_and_the_others_free_for_all() -> None:
    assert default_kind(EUCHRE_SIDES) == TEAMS
    assert default_kind(None) == FREE_FOR_ALL


def test_teams_meet_in_all_pairs_and_change_sides_once() -> None:
    made = lineups(TEAMS, MeetingRules(("a", "b", "c")), 4, EUCHRE_SIDES)
    assert texts(made) == ["a+b", "a+c", "b+c"]
    assert [seated(made[0], rotation) for rotation in range(2)] == ["abab", "baba"]
    assert len(made[0].rotations) == 2


def test_three_on_a_side_change_sides_together() -> None:
    (made,) = lineups(TEAMS, MeetingRules(("a", "b")), 6, CORNISH_SIDES)
    assert [seated(made, rotation) for rotation in range(2)] == ["ababab", "bababa"]


def test_two_players_meet_in_all_pairs() -> None:
    made = lineups(FREE_FOR_ALL, MeetingRules(("a", "b", "c")), 2, None)
    assert texts(made) == ["a+b", "a+c", "b+c"]
    assert [seated(made[2], rotation) for rotation in range(2)] == ["bc", "cb"]


def test_fixed_seats_are_taken_once_in_the_order_of_the_file() -> None:
    (made,) = lineups(FIXED, MeetingRules(("a", "b", "c", "d")), 4, EUCHRE_SIDES)
    assert (made.kind, made.text) == (FIXED, "a+b+c+d")
    assert len(made.rotations) == 1
    assert [made.seats(number, 0) for number in range(3)] == [(0, 1, 2, 3)] * 3
    assert seated(made, 0) == "abcd"


@pytest.mark.parametrize("bots", [("a", "b"), ("a", "b", "c", "d", "e")])
def test_fixed_seats_need_one_bot_for_each_seat(bots: tuple[str, ...]) -> None:
    with pytest.raises(SeatingError, match=f"fixed seats need one bot each: 4 seats, {len(bots)} bots"):
        lineups(FIXED, MeetingRules(bots), 4, EUCHRE_SIDES)


def test_fixed_seats_have_no_challenger() -> None:
    with pytest.raises(SeatingError, match="a gauntlet has no fixed seats") as refused:
        lineups(FIXED, MeetingRules(("a", "b", "c", "d"), challengers=("a",)), 4, EUCHRE_SIDES)
    assert refused.value.key == "format"


def test_fewer_bots_than_seats_are_doubled_equally_often() -> None:
    assert texts(lineups(FREE_FOR_ALL, MeetingRules(("a", "b", "c")), 4, None)) == ["a+a+b+c", "a+b+b+c", "a+b+c+c"]
    assert texts(lineups(FREE_FOR_ALL, MeetingRules(("a", "b")), 4, None)) == ["a+a+b+b"]
    assert texts(lineups(FREE_FOR_ALL, MeetingRules(("a", "b")), 3, None)) == ["a+a+b", "a+b+b"]
    assert texts(lineups(FREE_FOR_ALL, MeetingRules(("a", "b", "c")), 7, None)) == [
        "a+a+a+b+b+c+c",
        "a+a+b+b+b+c+c",
        "a+a+b+b+c+c+c",
    ]


@pytest.mark.parametrize("seats", range(2, 8))
@pytest.mark.parametrize("bots", range(2, 8))
def test_every_bot_plays_as_often_as_every_other(bots: int, seats: int) -> None:
    names = [f"bot{index}" for index in range(bots)]
    made = lineups(FREE_FOR_ALL, MeetingRules(tuple(names)), seats, None)
    counts = Counter(bot for lineup in made for bot in lineup.positions)
    assert set(counts) == set(names)
    assert len(set(counts.values())) == 1, counts
    assert len(set(texts(made))) == len(made), "a line-up comes twice"
    assert all(len(lineup.positions) == seats for lineup in made)


@pytest.mark.parametrize(("kind", "seats", "sides"), [(TEAMS, 4, EUCHRE_SIDES), (FREE_FOR_ALL, 5, None)])
def test_every_position_sits_once_a_rotation_and_meets_every_seat_or_side(
    kind: str, seats: int, sides: tuple[tuple[int, ...], ...] | None
) -> None:
    for lineup in lineups(kind, MeetingRules(("a", "b", "c")), seats, sides):
        for rotation in lineup.rotations:
            assert sorted(rotation) == list(range(seats))
        for position in range(seats):
            visited = {rotation[position] for rotation in lineup.rotations}
            if sides is None:
                assert visited == set(range(seats))
            else:
                assert all(visited & set(side) for side in sides)


def test_a_position_moves_one_seat_on_in_each_rotation() -> None:
    lineup = lineups(FREE_FOR_ALL, MeetingRules(("a", "b", "c", "d")), 4, None)[0]
    assert [seated(lineup, rotation) for rotation in range(4)] == ["abcd", "dabc", "cdab", "bcda"]


def test_few_bots_play_all_tables() -> None:
    assert len(lineups(FREE_FOR_ALL, MeetingRules(tuple("abcdefg")), 4, None)) == 35


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
    assert len(lineups(FREE_FOR_ALL, MeetingRules(tuple([f"bot{index}" for index in range(20)])), 2, None)) == 190


def test_one_bot_cannot_fill_a_table() -> None:
    with pytest.raises(SeatingError, match="7 seats need more than 1 bot; add at least one more"):
        lineups(FREE_FOR_ALL, MeetingRules(("a",)), 7, None)


def test_teams_need_fixed_sides() -> None:
    with pytest.raises(SeatingError, match="without fixed sides cannot be played by teams; use 'free-for-all'"):
        lineups(TEAMS, MeetingRules(("a", "b")), 4, None)


def test_fixed_sides_are_not_broken_up() -> None:
    with pytest.raises(SeatingError, match="with fixed sides cannot be played free for all; use 'teams'"):
        lineups(FREE_FOR_ALL, MeetingRules(("a", "b", "c", "d")), 4, EUCHRE_SIDES)


def test_gauntlet_tables_have_one_challenger() -> None:
    """Challengers do not meet each other, nor do the others."""
    meetings = MeetingRules(("a", "b", "c", "d"), challengers=("b",))
    assert texts(lineups(TEAMS, meetings, 4, EUCHRE_SIDES)) == ["a+b", "b+c", "b+d"]
    assert texts(lineups(FREE_FOR_ALL, meetings, 2, None)) == ["a+b", "b+c", "b+d"]
    assert texts(lineups(FREE_FOR_ALL, meetings, 3, None)) == ["a+b+c", "a+b+d", "b+c+d"]
    assert texts(lineups(FREE_FOR_ALL, meetings, 7, None)) == ["a+a+b+c+c+d+d"]
    two = MeetingRules(("a", "b", "c", "d"), challengers=("a", "b"))
    assert texts(lineups(TEAMS, two, 4, EUCHRE_SIDES)) == ["a+c", "a+d", "b+c", "b+d"]


@pytest.mark.parametrize("seats", [3, 4, 5, 7])
@pytest.mark.parametrize("others", [1, 2, 3, 6, 9])
def test_a_gauntlet_treats_the_others_alike(others: int, seats: int) -> None:
    names = [f"bot{index}" for index in range(others)]
    made = lineups(FREE_FOR_ALL, MeetingRules(("hero", *names), ("hero",)), seats, None)
    counts = Counter(bot for lineup in made for bot in lineup.positions)
    assert counts.pop("hero") == len(made)
    assert set(counts) == set(names)
    assert len(set(counts.values())) == 1, counts


def test_mixed_partners_sit_across() -> None:
    made = lineups(MIXED, MeetingRules(("a", "b", "c", "d")), 4, EUCHRE_SIDES)
    assert {frozenset(frozenset(seated(one, 0)[seat] for seat in side) for side in EUCHRE_SIDES) for one in made} == {
        frozenset((frozenset("ab"), frozenset("cd"))),
        frozenset((frozenset("ac"), frozenset("bd"))),
        frozenset((frozenset("ad"), frozenset("bc"))),
    }
    for lineup in made:
        hands = [seated(lineup, rotation) for rotation in range(4)]
        assert all({hand[seat] for hand in hands} == set("abcd") for seat in range(4)), "every bot plays every hand"
        sides = {frozenset(frozenset(hand[seat] for seat in side) for side in EUCHRE_SIDES) for hand in hands}
        assert len(sides) == 1, "partners stay partners in all rotations"


def test_one_sits_against_the_rest() -> None:
    made = lineups(ONE_VS_REST, MeetingRules(("a", "b", "c")), 3, None)
    assert texts(made) == ["a+b+b", "a+c+c", "b+a+a", "b+c+c", "c+a+a", "c+b+b"]
    gauntlet = lineups(ONE_VS_REST, MeetingRules(("a", "b", "c"), ("a",)), 4, None)
    assert texts(gauntlet) == ["a+b+b+b", "a+c+c+c", "b+a+a+a", "c+a+a+a"]


@pytest.mark.parametrize("seats", range(2, 8))
def test_neighbours_change_from_set_to_set(seats: int) -> None:
    """Over the orders of one period all pairs sit at each distance equally often."""
    orders = seat_orders(seats)
    assert orders[0] == tuple(range(seats)), "the first set is seated in the order of the file"
    assert all(sorted(order) == list(range(seats)) for order in orders)
    distances = Counter(
        (one, other, (order[other] - order[one]) % seats)
        for order in orders
        for one, other in permutations(range(seats), 2)
    )
    assert set(distances.values()) == {len(orders) // (seats - 1)}, distances


@pytest.mark.parametrize("seats", [8, 9, 10])
def test_neighbours_of_a_large_table_change_about_evenly(seats: int) -> None:
    """There are too many orders to play them all. A sample leaves no pair far from the mean at any distance."""
    orders = seat_orders(seats)
    assert orders[0] == tuple(range(seats)), "the first set is seated in the order of the file"
    assert all(sorted(order) == list(range(seats)) for order in orders)
    distances = Counter(
        (one, other, (order[other] - order[one]) % seats)
        for order in orders
        for one, other in permutations(range(seats), 2)
    )
    mean = len(orders) / (seats - 1)
    assert len(distances) == seats * (seats - 1) ** 2, "a pair never sits at some distance"
    assert max(abs(times - mean) for times in distances.values()) <= mean / 2, distances


def test_an_order_holds_for_a_set_in_all_its_rotations() -> None:
    """Every position still visits every seat, which cancels the luck of the deal."""
    (lineup,) = lineups(FREE_FOR_ALL, MeetingRules(tuple("abcde")), 5, None)
    assert lineup.seats(1, 0) != lineup.seats(0, 0)
    for number in range(6):
        rotations = [lineup.seats(number, rotation) for rotation in range(5)]
        assert all({seats[position] for seats in rotations} == set(range(5)) for position in range(5))
        assert all(sorted(seats) == list(range(5)) for seats in rotations)


@pytest.mark.parametrize(
    ("table", "meetings", "key", "sentence"),
    [
        (
            (MIXED, 4, EUCHRE_SIDES),
            MeetingRules(("a", "b", "c")),
            "",
            "mixed among 4 to 32 bots, not 3; use 'teams'",
        ),
        (
            (MIXED, 6, CORNISH_SIDES),
            MeetingRules(tuple("abcd")),
            "",
            "only in a variant of two against two; use 'teams'",
        ),
        (
            (MIXED, 5, None),
            MeetingRules(tuple("abcd")),
            "",
            "only in a variant of two against two; use 'free-for-all'",
        ),
        (
            (MIXED, 4, EUCHRE_SIDES),
            MeetingRules(tuple("abcd"), ("a",)),
            "format",
            "a gauntlet cannot mix partners",
        ),
        ((ONE_VS_REST, 4, EUCHRE_SIDES), MeetingRules(("a", "b")), "", "cannot be played one against the rest"),
        (
            (ONE_VS_REST, 2, None),
            MeetingRules(("a", "b")),
            "",
            "two seats leave nobody over; use 'free-for-all'",
        ),
        ((ONE_VS_REST, 3, None), MeetingRules(("a", "b"), copies=False), "copies", "needs copies of bots"),
        ((FREE_FOR_ALL, 7, None), MeetingRules(("a", "b"), copies=False), "copies", "enter at least 7"),
    ],
)
def test_what_cannot_be_seated_is_said(
    table: tuple[str, int, Sides | None], meetings: MeetingRules, key: str, sentence: str
) -> None:
    kind, seats, sides = table
    with pytest.raises(SeatingError, match=sentence) as caught:
        lineups(kind, meetings, seats, sides)
    assert caught.value.key == key


def test_distinct_bots_need_no_copies() -> None:
    assert texts(lineups(FREE_FOR_ALL, MeetingRules(tuple("abc"), copies=False), 3, None)) == ["a+b+c"]
    assert texts(lineups(TEAMS, MeetingRules(("a", "b"), copies=False), 4, EUCHRE_SIDES)) == ["a+b"]
