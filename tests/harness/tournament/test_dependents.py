"""Which deal sets follow from the results of others (faults.md, Corrections)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.harness.records.values.run import BLOCK_SETS, SetKey
from bowerbird.harness.tournament.config.schema import ADAPTIVE, GAUNTLET, KNOCKOUT, ROUND_ROBIN, SWISS
from bowerbird.harness.tournament.formats.dependents import dependents

SETS = 3
"""Deal sets of a match."""


def key(lineup: str, round_: int, place: int, entry: str = "euchre-0") -> SetKey:
    """Return the deal set at a place of a round: extra sets of a knockout from `SETS` on."""
    return SetKey(entry, lineup, round_ * BLOCK_SETS + place)


MATCH = [key("a+b", 0, place) for place in range(SETS)]
OTHER = [key("c+d", 0, place) for place in range(SETS)]
LATER = [key("a+c", 1, 0), key("a+d", 2, 2)]


@pytest.mark.parametrize("form", [ROUND_ROBIN, GAUNTLET])
def test_nothing_follows_where_the_file_alone_says_who_meets(form: str) -> None:
    assert dependents(form, SETS, MATCH[:1], [*MATCH, *OTHER, *LATER]) == ()


@pytest.mark.parametrize("form", [SWISS, KNOCKOUT])
def test_every_later_round_follows_and_no_other_match_of_the_round(form: str) -> None:
    assert dependents(form, SETS, MATCH[:1], [*MATCH, *OTHER, *LATER]) == tuple(sorted(LATER))


@pytest.mark.parametrize("form", [SWISS, KNOCKOUT])
def test_no_earlier_round_follows(form: str) -> None:
    assert dependents(form, SETS, LATER[:1], [*MATCH, *OTHER, *LATER]) == (LATER[1],)


def test_the_extra_sets_of_a_knockout_follow_from_their_own_match() -> None:
    """Whatever seats its bots have, and in each variant; the sets of another match stay."""
    extra = [key("a+b", 0, 3), key("b+a", 0, 4), key("a+b", 0, 3, "buck-0")]
    others = [key("c+d", 0, 3)]
    assert dependents(KNOCKOUT, SETS, MATCH[1:2], [*MATCH, *OTHER, *extra, *others]) == tuple(sorted(extra))


def test_only_the_extra_sets_after_a_voided_extra_set_follow() -> None:
    extra = [key("a+b", 0, place, entry) for place in (3, 4, 5) for entry in ("euchre-0", "buck-0")]
    assert dependents(KNOCKOUT, SETS, [extra[2]], [*MATCH, *extra]) == tuple(sorted(extra[4:]))


@pytest.mark.parametrize("form", [SWISS, KNOCKOUT])
def test_nothing_follows_from_nothing(form: str) -> None:
    assert dependents(form, SETS, [], [*MATCH, *LATER]) == ()


def test_a_round_that_is_longer_than_a_block_ends_where_the_next_begins() -> None:
    many = BLOCK_SETS  # with this many extra sets a knockout's round has two blocks, a Swiss one's has one
    first, second = SetKey("euchre-0", "a+b", 0), SetKey("euchre-0", "c+d", BLOCK_SETS)
    assert dependents(SWISS, many, [first], [first, second]) == (second,)
    assert dependents(KNOCKOUT, many, [first], [first, second]) == ()


_KEYS = st.builds(
    SetKey, st.sampled_from(["euchre-0", "buck-0"]), st.sampled_from(["a+b", "c+d", "a+c"]), st.integers(0, 200)
)


@given(form=st.sampled_from([SWISS, KNOCKOUT]), played=st.sets(_KEYS), data=st.data())
def test_what_is_left_follows_from_nothing_that_was_taken(form: str, played: set[SetKey], data: st.DataObject) -> None:
    """Taking out the dependents too leaves nothing else to take out."""
    taken = data.draw(st.sets(st.sampled_from(sorted(played)))) if played else set()
    added = dependents(form, SETS, taken, played)
    assert set(added) <= played - taken
    assert dependents(form, SETS, {*taken, *added}, played) == ()


def test_in_an_adaptive_run_every_set_of_a_later_round_follows() -> None:
    first, same = SetKey("euchre-0", "a+b", 64), SetKey("euchre-0", "a+c", 65)
    before, later = SetKey("buck-0", "a+b", 3), SetKey("buck-0", "b+c", 130)
    assert dependents(ADAPTIVE, 0, [first], [before, first, same, later]) == (later,)
