"""V8, Two-handed Euchre with straw men: at least one test for each number on its page. Seat 1 deals."""

from __future__ import annotations

import pytest

from bowerbird.engine import Game, InvalidOption, new_game, rules_of
from bowerbird.engine.game import state_of
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, trick, view

NAME = "two-handed-straw-men"
HANDS = {0: "Js Jc As Ks", 1: "Ad Kd Qd Jd"}
PILES = {
    "laid 0": "Qs Ts 9s Ah",
    "covered 0": "Kh Qh Jh Th",
    "laid 1": "Td 9d Ac Kc",
    "covered 1": "Qc Tc 9c 9h",
}
"""In spades seat 0 takes all twelve tricks, when it leads spades and then hearts."""


def deal(**options: object) -> Game:
    return scenario(NAME, dealer=1, hands=HANDS, piles=PILES, options=options)


def bid(number: int, trump: str = "s", **options: object) -> Game:
    """Return a hand: seat 0 has bid `number` tricks and named trump."""
    game = play(deal(**options), f"0 bid {number}")
    return play(game, *(("1 pass",) if number < 12 else ()), f"0 call {trump}")


SPLIT_HANDS = {0: "Js As Ks Qs", 1: "Ac Kc Qc 9c"}
SPLIT_PILES = {
    "laid 0": "Ah Kh 9d Td",
    "covered 0": "Qh Jh Th 9h",
    "laid 1": "Ad Kd Qd Jd",
    "covered 1": "Jc Tc Ts 9s",
}


def split(number: int, seat: int = 0, scores: tuple[int, int] = (0, 0), **options: object) -> Game:
    """Play a hand in spades, bid by this seat: seat 0 takes eight tricks and seat 1 four."""
    game = scenario(NAME, dealer=1, hands=SPLIT_HANDS, piles=SPLIT_PILES, options=options)
    state_of(game).scores = scores
    if seat == 0:
        play(game, f"0 bid {number}, 1 pass, 0 call s")
    else:
        play(game, f"0 pass, 1 bid {number}, 0 pass, 1 call s")
    lines = ("0: Td Jd", "1: Qd 9d", "1: Kd 9h", "1: Ad Th", "1: 9c Qs", "0: As 9s", "0: Ks Ts", "0: Js Jc")
    for line in lines:
        trick(game, line)
    for line in ("0: Ah Tc", "0: Kh Ac", "0: Qh Kc", "0: Jh Qc"):
        trick(game, line)
    assert game.results[0].tricks == (8, 4)
    return game


def test_two_players_each_for_himself() -> None:
    """V8.1."""
    page = rules_of(NAME)
    assert (page.seats(), page.teams(), page.better) == (2, None, "high")


def test_all_cards_are_dealt_singly() -> None:
    """V8.2, V8.4, V8.12.10: alternately, the other one first; four covered, four face up on them, four in hand."""
    codes = rules_of(NAME).rules().pack.codes
    assert len(codes) == 24
    game = new_game(NAME, packs=[[" ".join(codes)]], first_dealer=1)
    seen = game.view(0)
    assert set(seen.hand) == set(codes[16:24:2])
    assert tuple(map(set, seen.laid)) == (set(codes[8:16:2]), set(codes[9:16:2]))
    assert seen.covered == (4, 4)
    assert (seen.upcard, seen.upcard_place) == ("", "")
    assert seen.extra == (("columns 0", " ".join(codes[8:16:2])), ("columns 1", " ".join(codes[9:16:2])))


def test_jacks_are_bowers_only_with_a_trump_suit() -> None:
    """V8.3, V8.12.9."""
    assert tokens(play(bid(7), "0 play Jc"))[0] == "play Ad", "nobody has another spade"
    assert tokens(play(bid(7, "nt"), "0 play Jc")) == ["play Ac", "play Kc"]


def test_the_auction_goes_to_and_fro() -> None:
    """V8.5.1, V8.12.1, V8.12.2: each bid is higher; a pass after a bid ends it."""
    game = deal()
    assert (game.actor, view(game).stage) == (0, "bid")
    assert tokens(game) == ["pass", *(f"bid {number}" for number in range(7, 13))]
    play(game, "0 bid 7")
    assert tokens(game) == ["pass", *(f"bid {number}" for number in range(8, 13))]
    play(game, "1 bid 9, 0 bid 10, 1 bid 11, 0 pass")
    assert (game.actor, view(game).stage, view(game).maker, view(game).contract) == (1, "name trump", 1, 11)


def test_the_other_one_may_pass_at_first() -> None:
    """V8.5.1, V8.12.3: then the dealer may bid, and he may answer."""
    game = play(deal(), "0 pass, 1 bid 8")
    assert game.actor == 0
    play(game, "0 bid 9, 1 pass")
    assert (view(game).maker, view(game).contract) == (0, 9)


def test_neither_bids() -> None:
    """V8.5.1, V8.12.3: thrown in."""
    game = play(deal(), "0 pass, 1 pass")
    assert (game.results[0].ended, game.scores, game.dealer) == ("thrown in", (0, 0), 0)


def test_a_bid_of_twelve_ends_the_auction() -> None:
    """V8.5.1, E17."""
    game = play(deal(), "0 bid 12")
    assert (game.actor, view(game).stage) == (0, "name trump")


def test_the_high_bidder_names_a_suit_or_no_trump() -> None:
    """V8.5.2."""
    game = play(deal(), "0 bid 7, 1 pass")
    assert tokens(game) == ["call s", "call h", "call d", "call c", "call nt"]
    assert view(play(game, "0 call nt")).trump == "nt"


def test_twelve_tricks_are_played() -> None:
    """V8.5.3."""
    assert sum(play_out(bid(7)).tricks) == 12


def test_covered_cards_are_unknown_to_both() -> None:
    """V8.6."""
    game = deal()
    for seat in (0, 1):
        seen = game.view(seat)
        known = {*seen.hand, *seen.laid[0], *seen.laid[1]}
        assert not known & set(f"{PILES['covered 0']} {PILES['covered 1']}".split())
        assert seen.hand == game.rules.pack.text(game.rules.pack.set_of(HANDS[seat].split()))
        assert [note.what for note in seen.memory] == ["dealt"]


@pytest.mark.parametrize("maker", [0, 1])
def test_the_other_one_leads(maker: int) -> None:
    """V8.7, V8.12.6: also if the dealer is the maker."""
    game = play(deal(), "0 bid 7, 1 pass, 0 call s" if maker == 0 else "0 pass, 1 bid 7, 0 pass, 1 call s")
    assert (game.actor, view(game).stage) == (0, "play")


def test_hand_and_face_up_cards_may_be_played() -> None:
    """V8.7: any of them, and no covered one (V8.12.8)."""
    assert tokens(bid(7)) == [f"play {card}" for card in "As Ks Qs Js Ts 9s Ah Jc".split()]  # noqa: SIM905 (as dealt)


def test_the_duty_to_follow_covers_hand_and_face_up_cards() -> None:
    """V8.7, V8.12.8: together, but not the covered ones."""
    game = play(bid(7, "nt"), "0 play Jc")
    assert tokens(game) == ["play Ac", "play Kc"], "Qc Tc 9c are covered"
    game = play(bid(7), "0 play Ah")
    assert len(tokens(game)) == 8, "9h is covered: nothing has to follow"
    piles = {**PILES, "laid 1": "Td 9d Ac 9h", "covered 1": "Qc Tc 9c Kc"}
    game = play(scenario(NAME, dealer=1, hands=HANDS, piles=piles), "0 bid 7, 1 pass, 0 call s, 0 play Ah")
    assert tokens(game) == ["play 9h"]


def test_a_covered_card_is_turned_up_at_once() -> None:
    """V8.7, V8.12.4: before the next card; it may be played from the next trick on."""
    game = play(bid(7), "0 play Qs")
    seen = view(game)
    assert set(seen.laid[0]) == {"Ts", "9s", "Ah", "Kh"}
    assert (seen.covered, seen.extra[0]) == ((3, 4), ("columns 0", "Qs/Kh Ts 9s Ah"))
    play(game, "1 play Td")
    assert set(view(game).laid[1]) == {"9d", "Ac", "Kc", "Qc"}
    assert view(game).covered == (3, 3)
    assert "play Kh" in tokens(game)
    play(game, "0 play Kh")
    assert view(game).covered == (3, 3), "it covered nothing"
    assert set(view(game).laid[0]) == {"Ts", "9s", "Ah"}


def test_a_card_of_the_hand_turns_nothing_up() -> None:
    """V8.7."""
    assert view(play(bid(7), "0 play Js")).covered == (4, 4)


def test_a_turned_card_must_follow_from_the_next_trick_on() -> None:
    """V8.7, A4."""
    piles = {**PILES, "laid 1": "Td 9d Ac Kc", "covered 1": "9h Tc 9c Qc"}
    game = play(scenario(NAME, dealer=1, hands=HANDS, piles=piles), "0 bid 7, 1 pass, 0 call s")
    play(game, "0 play Js, 1 play Td, 0 play Ah")
    assert tokens(game) == ["play 9h"]


@pytest.mark.parametrize(("number", "points"), [(7, (8, 4)), (8, (8, 4)), (9, (-9, 4)), (11, (-11, 4))])
def test_points(number: int, points: tuple[int, int]) -> None:
    """V8.8, V8.12.5: a maker who makes his bid scores his tricks, one who fails loses his bid.

    The other one scores his tricks.
    """
    assert change(split(number)) == points


def test_all_tricks_are_worth_no_more_than_their_number() -> None:
    """V8.8."""
    game = bid(12)
    play_out(game)
    assert change(game) == (12, 0)


def test_the_dealer_as_maker() -> None:
    """V8.8: four tricks of seven."""
    assert change(split(7, seat=1)) == (8, -7)


@pytest.mark.parametrize(
    ("before", "winners"), [((42, -20), (0,)), ((41, 45), ()), ((42, 48), (1,)), ((44, 48), (0, 1))]
)
def test_fifty_points_win(before: tuple[int, int], winners: tuple[int, ...]) -> None:
    """V8.9, V8.12.7, A14: of two who have them the higher score wins; equal ones share."""
    assert rules_of(NAME).options["target"].default == 50
    assert split(7, scores=before).winners == winners


def test_option_target() -> None:
    """V8.10."""
    assert split(7, target=8).winners == (0,)
    assert not split(7, target=9).is_over


@pytest.mark.parametrize("lowest", [1, 3, 12])
def test_option_min_bid(lowest: int) -> None:
    """V8.10, E16: 1 to 12."""
    assert tokens(deal(min_bid=lowest)) == ["pass", *(f"bid {number}" for number in range(lowest, 13))]


@pytest.mark.parametrize("lowest", [0, 13])
def test_a_lowest_bid_out_of_range_is_refused(lowest: int) -> None:
    """E16."""
    with pytest.raises(InvalidOption, match=f"min_bid of {NAME} must be 1, .* or 12, not {lowest}"):
        deal(min_bid=lowest)


def test_option_forced_opening() -> None:
    """V8.10, V8.12.3: the other one must bid; nobody else must."""
    game = deal(forced_opening=True)
    assert tokens(game) == [f"bid {number}" for number in range(7, 13)]
    play(game, "0 bid 7")
    assert tokens(game)[0] == "pass"
    play(game, "1 bid 8")
    assert tokens(game)[0] == "pass"


def test_option_flip_when() -> None:
    """V8.10: turned when the trick is complete, both at once, before the next lead."""
    game = play(bid(7, flip_when="after_trick"), "0 play Qs")
    assert (view(game).covered, set(view(game).laid[0])) == ((4, 4), {"Ts", "9s", "Ah"})
    play(game, "1 play Td")
    assert (view(game).covered, view(game).laid[0], set(view(game).laid[1])) == (
        (3, 3), ("Ts", "9s", "Ah", "Kh"), {"9d", "Ac", "Kc", "Qc"},
    )  # fmt: skip
    assert view(game).extra == (("columns 0", "Qs/Kh Ts 9s Ah"), ("columns 1", "Td/Qc 9d Ac Kc"))
    play(game, "0 play Kh, 1 play Ad")
    assert view(game).covered == (3, 3)
