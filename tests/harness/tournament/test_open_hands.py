"""The law of the open hand: when a game may be shown, and which tables may be watched."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from bowerbird.harness.records.values.game_record import ISOLATION_TIERS, SANDBOX
from bowerbird.harness.records.values.run import BLOCK_SETS, COMMON, OWN, SetKey
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.config.schema import ADAPTIVE, SWISS
from bowerbird.harness.tournament.playing.open_hands import OpenHands, PackUse, why_table_hidden

LINEUPS = {"buck-0": ("a+b", "a+c", "b+c"), "euchre-1": ("a+b", "a+c", "b+c")}
EVERY = [SetKey(entry, lineup, number) for entry in LINEUPS for lineup in LINEUPS[entry] for number in range(4)]


def use(packs: str, form: str = "round-robin", sets: int = 4) -> PackUse:
    return PackUse(packs, form, sets, LINEUPS)


def shuffled(seed: int, keys: Iterable[SetKey] = EVERY) -> list[SetKey]:
    order = list(keys)
    random.Random(seed).shuffle(order)
    return order


def packs_of(key: SetKey, packs: str) -> tuple[str, ...]:
    """Return what names the packs of a deal set, independently of the law."""
    return (key.entry, str(key.number)) + ((key.lineup,) if packs == OWN else ())


@pytest.mark.parametrize("packs", [COMMON, OWN])
@pytest.mark.parametrize("seed", range(20))
def test_a_set_is_open_exactly_when_nobody_is_left_to_play_its_packs(packs: str, seed: int) -> None:
    order = shuffled(seed)
    hands = OpenHands(use(packs))
    opened: list[SetKey] = []
    for place, key in enumerate(order):
        newly = hands.add(key)
        still_to_come = {packs_of(left, packs) for left in order[place + 1 :]}
        for one in EVERY:
            assert hands.is_open(one) == (packs_of(one, packs) not in still_to_come), f"{one} after {key}"
            assert bool(hands.why_hidden(one)) != hands.is_open(one)
        opened += newly
        assert {one for one in order[: place + 1] if hands.is_open(one)} == set(opened), "each opening is told"
    assert sorted(opened) == sorted(EVERY), "each set is told of once"


@pytest.mark.parametrize("packs", [COMMON, OWN])
def test_what_is_stored_when_a_run_is_resumed_counts(packs: str) -> None:
    before, after = OpenHands(use(packs)), OpenHands(use(packs), EVERY[:7])
    for key in EVERY[:7]:
        before.add(key)
    assert [before.is_open(key) for key in EVERY] == [after.is_open(key) for key in EVERY]


@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_with_common_packs_a_round_is_open_when_a_later_one_has_begun(form: str) -> None:
    """Who else plays a number follows from results: a later round plays other numbers."""
    distance = 64
    hands = OpenHands(use(COMMON, form))
    first = [SetKey("buck-0", "a+b", number) for number in range(4)]
    for key in first:
        assert hands.add(key) == ()
        assert not hands.is_open(key)
        assert "next round" in hands.why_hidden(key)
    later = SetKey("buck-0", "a+c", distance)
    assert set(hands.add(later)) == set(first)
    assert all(map(hands.is_open, first))
    assert not hands.is_open(later)


def test_a_complete_run_is_open_whatever_it_is() -> None:
    for packs in (COMMON, OWN):
        hands = OpenHands(use(packs))
        hands.end()
        assert all(map(hands.is_open, EVERY))
        assert OpenHands(PackUse(packs, "swiss", 1, None), is_complete=True).is_open(EVERY[0])


def test_a_run_whose_bots_are_gone_shows_common_packs_at_its_end_only() -> None:
    hands = OpenHands(PackUse(COMMON, "round-robin", 4, None), EVERY)
    assert not any(map(hands.is_open, EVERY))
    assert "complete" in hands.why_hidden(EVERY[0])
    own = OpenHands(PackUse(OWN, "round-robin", 4, None), EVERY[:1])
    assert [own.is_open(key) for key in EVERY[:2]] == [True, False]


def bot(name: str, *, remote: bool = False) -> BotSpec:
    return BotSpec(name, "1", "", (), Path("/"), (), {}, ("*",), 1, 1, (), Path("x"), "sha256:x", remote=remote)


def test_a_table_is_shown_only_while_nobody_who_meets_its_packs_can_be_told() -> None:
    local, far = [bot("a"), bot("b")], bot("c", remote=True)
    for packs in (COMMON, OWN):
        for tier in ISOLATION_TIERS:
            why = why_table_hidden(packs, tier, local, ["a", "b"])
            assert bool(why) == (tier != SANDBOX), (packs, tier)
        assert "'c' is remote" in why_table_hidden(packs, SANDBOX, [*local, far], ["a", "c"])
    assert "'c' is remote" in why_table_hidden(COMMON, SANDBOX, [*local, far], ["a", "b"]), "c meets these packs later"
    assert not why_table_hidden(OWN, SANDBOX, [*local, far], ["a", "b"]), "c never meets the packs of a and b"


@pytest.mark.parametrize("form", [SWISS, ADAPTIVE])
def test_with_own_packs_a_set_of_a_new_round_opens_itself_alone(form: str) -> None:
    hands = OpenHands(PackUse(OWN, form, 2, {"euchre-0": ("a+b", "a+c")}))
    first, later = SetKey("euchre-0", "a+b", 0), SetKey("euchre-0", "a+c", BLOCK_SETS)
    assert hands.add(first) == (first,)
    assert hands.add(later) == (later,)
