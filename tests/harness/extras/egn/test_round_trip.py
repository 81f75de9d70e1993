"""Our own games as EGN and back: the same hands, actions and scores, whatever options EGN can hold (egn.md)."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bowerbird.engine import OptionValue, variant_names
from bowerbird.harness.extras.egn.errors import EgnError
from bowerbird.harness.extras.egn.fields import parse
from bowerbird.harness.extras.egn.judge import judged
from bowerbird.harness.extras.egn.whole import record_of
from bowerbird.harness.extras.egn.writer import egn_of
from bowerbird.harness.records.archive.merge import RefusedError, add_single
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.canonical import canonical
from tests.support.records.played_games import game

DIGEST = "0" * 64
FEW = settings(max_examples=60)

OPTIONS = st.fixed_dictionaries(
    {
        "target": st.sampled_from((1, 5, 10)),
        "max_hands": st.sampled_from((0, 1, 3, 100)),
        "stick_dealer": st.booleans(),
        "assist_must_go_alone": st.booleans(),
        "defend_alone": st.sampled_from(("never", "vs_alone")),
        "lone_lead": st.sampled_from(("eldest", "left_of_lone")),
        "lone_euchre_points": st.sampled_from((2, 4)),
        "alone_march_points": st.sampled_from((4, 1, 6)),
        "name_no_trump": st.booleans(),
        "call_best": st.booleans(),
    }
)


@FEW
@given(seed=st.integers(0, 2**32), options=OPTIONS)
def test_a_game_comes_back_with_the_same_hands_actions_and_scores(seed: int, options: dict[str, OptionValue]) -> None:
    """The judge of EGN, written from its specification, and our engine count the same points."""
    options["max_hands"] = options["max_hands"] or 100
    record = game("euchre", seed, options=options)
    back = judged(parse(egn_of(record).encode()))
    assert back.is_whole, back.missing
    again = record_of(back, record.id, DIGEST)
    assert [(hand.dealer, hand.actions, hand.scores) for hand in again.hands] == [
        (hand.dealer, hand.actions, hand.scores) for hand in record.hands
    ]
    assert (again.result, back.scores[-1]) == (record.result, record.scores[:2])


@FEW
@given(seed=st.integers(0, 2**32), options=OPTIONS)
def test_a_game_with_a_joker_comes_back(seed: int, options: dict[str, OptionValue]) -> None:
    """Except where the joker is turned up: EGN does not say what its suit is called."""
    options |= {"max_hands": 3, "target": 10, "name_no_trump": False, "joker": True}
    record = game("euchre", seed, options=options)
    if any(hand.packs[0].split()[20] == "X1" for hand in record.hands):
        with pytest.raises(EgnError, match="a joker is turned up in deal"):
            egn_of(record)
        return
    again = record_of(judged(parse(egn_of(record).encode())), record.id, DIGEST)
    assert [(hand.actions, hand.scores) for hand in again.hands] == [
        (hand.actions, hand.scores) for hand in record.hands
    ]


@FEW
@given(seed=st.integers(0, 2**32), options=OPTIONS)
def test_a_farmers_hand_comes_back_but_for_the_order_of_its_cards(seed: int, options: dict[str, OptionValue]) -> None:
    """EGN tells what the seat took, and what it gave up follows from the play."""
    options |= {"max_hands": 4, "target": 10, "farmers_hand": "mixed"}
    record = game("euchre", seed, options=options)
    back = judged(parse(egn_of(record).encode()))
    assert back.is_whole, back.missing
    again = record_of(back, record.id, DIGEST)
    assert [(hand.scores, said_in(hand.actions)) for hand in again.hands] == [
        (hand.scores, said_in(hand.actions)) for hand in record.hands
    ]


def said_in(actions: tuple[str, ...]) -> list[str]:
    """Return the actions without the cards that a seat showed or put away: which card is which may be open."""
    return [" ".join(action.split()[:2]) if action.split()[1] in ("show", "discard") else action for action in actions]


def test_a_game_in_egn_cannot_enter_the_database_as_a_record(tmp_path: Path) -> None:
    """A page offers its record, and one that was written for it must count nowhere."""
    record = game("euchre", 3, options={"max_hands": 2})
    shown = record_of(judged(parse(egn_of(record).encode())), "egn/0123456789abcdef", DIGEST)
    file = tmp_path / "shown.toml"
    file.write_text(canonical(shown), encoding="utf-8")
    with Store.create(tmp_path / "games.db") as store:
        with pytest.raises(RefusedError, match="is not the id of a game"):
            add_single(store, file)
        assert store.singles() == []


@pytest.mark.parametrize("variant", sorted(set(variant_names()) - {"euchre"}))
def test_other_variants_do_not_fit(variant: str) -> None:
    sentence = f"EGN is for euchre with two teams of two and 24 cards, not {variant}"
    with pytest.raises(EgnError, match=sentence):
        egn_of(game(variant, 1, options={"max_hands": 1}))


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("deck", 32),
        ("defend_alone", "always"),
        ("games_to_win", 2),
        ("slam", True),
        ("lap", True),
        ("jambone", True),
        ("jamboree", True),
        ("misdeal", "nines_tens"),
        ("farmers_hand", "clean"),
        ("alone_needs_five", True),
    ],
)
def test_an_option_without_a_place_in_egn_is_named(option: str, value: OptionValue) -> None:
    with pytest.raises(EgnError, match=f"EGN has no euchre with {option} = "):
        egn_of(game("euchre", 1, options={option: value, "max_hands": 1}))


def test_a_written_file_names_exactly_one_end() -> None:
    """The schema refuses a ruleset with both winning_score and num_deals."""
    for hands, seed in product((1, 100), range(4)):
        rules = json.loads(egn_of(game("euchre", seed, options={"max_hands": hands})))["metadata"]["ruleset"]
        assert ("winning_score" in rules) != ("num_deals" in rules)
