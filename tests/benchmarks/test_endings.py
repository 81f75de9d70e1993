"""Champion's judgement of the last tricks is compared with exact solutions."""

from __future__ import annotations

import pytest

from benchmarks.strength.endings import losses
from bowerbird.bots.champion.network import variants_with_networks
from bowerbird.engine import rules_of

LITTLE = 1.0
"""Points a decision; a trick more or less is worth several in some variants."""

OPEN_TO_NONE = "two-handed-straw-men"
"""Has two sides, and cards that nobody has seen."""


def two_sided() -> list[str]:
    """Return the variants in which one side plays against another in every hand, and which can be solved."""
    played = [variant for variant in variants_with_networks() if len(set(rules_of(variant).rules().sides)) == 2]
    return [variant for variant in played if variant != OPEN_TO_NONE]


def test_what_cannot_be_solved_is_refused() -> None:
    with pytest.raises(ValueError, match="no ending of buck-wager can be solved: more than two sides play"):
        losses("buck-wager", 2, 3, "any")


@pytest.mark.parametrize("variant", [*two_sided(), "three-handed", "seven-handed"])
def test_networks_lose_little_in_the_last_tricks(variant: str) -> None:
    """A network that has not learnt to play loses whole tricks there."""
    found = losses(variant, 2, 12, "any")
    assert found.decisions > 0
    assert found.a_second > 0
    assert 0 <= found.by_values < LITTLE
    assert 0 <= found.by_network < LITTLE
