"""People find a variant by its id, its title and the names that they use; a hint never names another game."""

from __future__ import annotations

import pytest

from bowerbird.engine import UnknownVariant, rules_of, variant_named, variant_names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Euchre", "euchre"),
        ("EUCHRE", "euchre"),
        ("Buck Euchre", "buck"),
        ("bid euchre 102", "bid-102"),
        ("Bid_Euchre_102", "bid-102"),
        ("cut throat", "cut-throat"),
        ("Buck Euchre (turn-up text)", "buck-turn-up"),
        ("British Euchre", "british"),
        ("Bid Euchre", "bid-euchre"),
        ("double-deck bid euchre", "bid-euchre"),
        ("Pepper", "bid-euchre"),
        ("HASENPFEFFER", "hasenpfeffer"),
        ("Buck Auction", "buck-auction"),
        ("buckeuchre", "buck"),
        ("Cutthroat", "cut-throat"),
    ],
)
def test_a_variant_is_found_by_what_people_write(text: str, name: str) -> None:
    assert variant_named(text) == name


def test_every_id_and_every_title_is_found_in_any_case() -> None:
    for name in variant_names():
        for text in (name, name.upper(), rules_of(name).title, rules_of(name).title.lower()):
            assert variant_named(text) == name, f"{text!r} does not lead to {name}"


def test_no_name_leads_to_two_variants() -> None:
    spelt: dict[str, str] = {}
    for name in variant_names():
        for text in (name, rules_of(name).title, *rules_of(name).also):
            key = " ".join(text.lower().replace("-", " ").split())
            assert spelt.setdefault(key, name) == name, f"{text!r} names {spelt[key]} and {name}"


@pytest.mark.parametrize("text", ["Five Hundred", "cincinnati euchre", "500", "HORSE", "call ace euchre"])
def test_a_game_that_is_not_here_is_said_to_be_missing(text: str) -> None:
    with pytest.raises(UnknownVariant, match=f"^'{text}' is a game that is not here; 'bowerbird variants' lists"):
        variant_named(text)


@pytest.mark.parametrize("text", ["jambone", "whist", "eucher with cheese", "max euchre"])
def test_a_hint_never_points_to_another_game(text: str) -> None:
    with pytest.raises(UnknownVariant) as refused:
        variant_named(text)
    assert "did you mean" not in str(refused.value)


def test_a_mistyped_id_is_corrected() -> None:
    with pytest.raises(UnknownVariant, match="did you mean 'cut-throat'"):
        variant_named("cuthroat")
