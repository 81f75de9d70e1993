"""Deal sets stored as bits behave like a set of keys, in the order of the schedule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.harness.records.values.run import BLOCK_SETS, SetKey, schedule_order
from bowerbird.harness.records.values.set_keys import Block, SetKeys, block_of

KEYS = st.builds(
    SetKey, st.sampled_from(["buck-0", "euchre-0"]), st.sampled_from(["a+b", "a+c"]), st.integers(0, 3 * BLOCK_SETS)
)


@given(added=st.lists(KEYS), removed=st.lists(KEYS), asked=st.lists(KEYS))
def test_they_are_as_a_set_is(added: list[SetKey], removed: list[SetKey], asked: list[SetKey]) -> None:
    expected: set[SetKey] = set()
    keys = SetKeys()
    for key in added:
        assert keys.add(key) == (key not in expected), f"whether {key} is new"
        expected.add(key)
    for key in expected.intersection(removed):
        keys.remove(key)
    expected.difference_update(removed)
    assert len(keys) == len(expected)
    assert list(keys) == sorted(expected, key=schedule_order)
    for key in asked:
        assert (key in keys) == (key in expected)
        behind = [one for one in list(keys) if schedule_order(one) > schedule_order(key)]
        assert keys.after(schedule_order(key)) == (behind[0] if behind else None)


@given(added=st.lists(KEYS), first=st.integers(0, 4))
def test_blocks_stand_in_the_order_of_the_schedule(added: list[SetKey], first: int) -> None:
    blocks = {block_of(key) for key in added}
    assert list(SetKeys(added).blocks(first)) == sorted(block for block in blocks if block.number >= first)
    for key in added:
        assert key.number in block_of(key).sets


def test_what_is_not_there_cannot_be_removed() -> None:
    keys = SetKeys([SetKey("buck-0", "a+b", 1)])
    for other in (SetKey("buck-0", "a+b", 2), SetKey("buck-0", "a+c", 1)):
        with pytest.raises(KeyError, match="buck-0"):
            keys.remove(other)
    assert len(keys) == 1
    assert "buck-0/a+b/1" not in keys


def test_a_block_is_of_one_line_up() -> None:
    assert block_of(SetKey("buck-0", "a+b", BLOCK_SETS)) == Block(1, "buck-0", "a+b")
    assert Block(1, "buck-0", "a+b").sets == range(BLOCK_SETS, 2 * BLOCK_SETS)
