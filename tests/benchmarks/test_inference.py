"""What champion's inference tells: how it is measured, and that it knows its own kind."""

from __future__ import annotations

import pytest

from benchmarks.strength import inference
from benchmarks.strength.inference import gains


def test_champion_infers_what_its_own_network_holds() -> None:
    found = gains("euchre", "champion:1", 8, "any")
    assert [each.tricks for each in found] == [-1, 0, 1, 2, 3]
    played = [each for each in found if each.tricks > 0]
    assert all(each.gain - each.reach > 0 for each in played)


def test_even_weights_gain_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bowerbird.bots.champion.inference.TRUST", 0.0)
    assert {each.gain for each in gains("euchre", "random", 4, "any")} == {0.0}


def test_the_same_seed_gives_the_same_figures() -> None:
    assert gains("euchre", "greedy", 2, "any") == gains("euchre", "greedy", 2, "any")


def test_a_variant_without_networks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference, "decider_of", lambda *_: None)
    with pytest.raises(ValueError, match="champion has no networks for euchre, and infers nothing"):
        gains("euchre", "greedy", 1, "any")
