"""V1, North American Euchre: at least one test for each number on its page. Seat 3 deals unless said otherwise."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bowerbird.engine import Game, InvalidOption, new_game, rules_of
from tests.support.engine.scenario import change, play, play_out, scenario, tokens, trick, view

MARCH = {0: "Js Jc As Ks Qs", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
"""Seat 0 takes five tricks in spades, the upcard being 9s."""

FOUR = {0: "Js Jc As Ks 9h", 1: "Ah Kh Qh Jh Th", 2: "Ad Kd Qd Jd Td", 3: "Ac Kc Qc Tc 9c"}
"""Seat 0 takes four tricks in spades, and seat 1 the last."""

EUCHRED = {0: "9h Th 9d Td Qc", 1: "Js Jc As Ks Qs", 2: "Kh Qh Kd Qd Kc", 3: "Ac Tc 9c Ah Ad"}
"""Seat 1 takes five tricks in spades."""


def deal(hands: Mapping[int, str], upcard: str = "9s", dealer: int = 3, **options: object) -> Game:
    return scenario("euchre", dealer=dealer, hands=hands, upcard=upcard, options=options)


def points(game: Game) -> tuple[int, ...]:
    """Play the hand out by the first legal card; return the points of each team."""
    play_out(game)
    return change(game)[:2]


def test_partners_sit_opposite() -> None:
    """V1.1."""
    assert rules_of("euchre").teams() == ((0, 2), (1, 3))
    assert rules_of("euchre").seats() == 4
    assert deal(MARCH).view(0).sides == (0, 1, 0, 1)


def test_the_pack_has_24_cards() -> None:
    """V1.2."""
    assert sorted(new_game("euchre").packs[0].split()) == sorted(rank + suit for rank in "AKQJT9" for suit in "shdc")


@pytest.mark.parametrize(("deck", "lowest"), [(28, "8"), (32, "7")])
def test_option_deck(deck: int, lowest: str) -> None:
    """V1.10 `deck`."""
    pack = new_game("euchre", {"deck": deck}).packs[0].split()
    assert len(pack) == deck
    assert f"{lowest}c" in pack


def test_packets_of_two_and_three_from_the_eldest() -> None:
    """V1.4, A7: card 21 is turned up."""
    pack = "As Ks Ah Kh Ad Kd Ac Kc Qs Js Ts Qh Jh Th Qd Jd Td Qc Jc Tc 9s 9h 9d 9c"
    game = new_game("euchre", packs=[[pack]], first_dealer=1)
    assert game.view(2).hand == ("As", "Ks", "Qs", "Js", "Ts")
    assert game.view(3).hand == ("Ah", "Kh", "Qh", "Jh", "Th")
    assert game.view(0).hand == ("Ad", "Kd", "Qd", "Jd", "Td")
    assert game.view(1).hand == ("Ac", "Kc", "Qc", "Jc", "Tc")
    assert (game.view(0).upcard, game.view(0).upcard_place) == ("9s", "up")


def test_first_round_asks_each_seat_once_from_the_eldest() -> None:
    """V1.5.1, B1 T1."""
    game = deal(MARCH)
    for seat in (0, 1, 2, 3):
        assert game.actor == seat
        assert view(game).stage == "order up"
        assert tokens(game) == ["pass", "order", "order alone"]
        game.apply("pass")
    assert view(game).stage == "name trump"


def test_the_acceptor_is_the_maker_of_the_upcards_suit() -> None:
    """B1 T1; nobody else is asked."""
    game = play(deal(MARCH), "0 pass, 1 order")
    seen = view(game)
    assert (seen.maker, seen.trump, seen.how) == (1, "s", "")


def test_a_turned_jack_counts_for_its_printed_suit() -> None:
    """B1 T1, A18.5."""
    game = deal({0: "As Ks Qs 9s Ts"}, upcard="Jd")
    assert view(play(game, "0 order")).trump == "d"


def test_a_suit_may_be_ordered_without_holding_it() -> None:
    """A18.6."""
    assert view(play(deal(MARCH, upcard="9s"), "0 pass, 1 order")).trump == "s"


def test_dealer_takes_the_upcard_and_discards_another_card() -> None:
    """V1.5.4, T2, A10: he may not discard the upcard itself."""
    game = play(deal(MARCH), "0 order")
    assert game.actor == 3
    assert view(game).stage == "discard"
    assert view(game).hand == ("9s", "Ac", "Kc", "Qc", "Tc", "9c")
    assert tokens(game) == ["discard Ac", "discard Kc", "discard Qc", "discard Tc", "discard 9c"]
    game.apply("discard Ac")
    assert game.view(3).hand == ("9s", "Kc", "Qc", "Tc", "9c")
    assert [(memory.what, memory.cards) for memory in game.view(3).memory[1:]] == [
        ("upcard", ("9s",)),
        ("discarded", ("Ac",)),
    ]


def test_a_dealer_who_is_the_lone_makers_partner_still_discards() -> None:
    """V1.12.7, L2."""
    game = play(deal(MARCH, dealer=2), "3 pass, 0 order alone")
    assert game.actor == 2
    play(game, "2 discard Td")
    assert game.view(0).active == (0, 1, 3)
    assert game.actor == 3


def test_second_round_names_any_suit_but_the_upcards() -> None:
    """V1.5.2, T3: the upcard is turned down, nobody picks it up."""
    game = play(deal(MARCH), "0 pass, 1 pass, 2 pass, 3 pass")
    assert tokens(game) == [
        "pass", "call h", "call h alone", "call d", "call d alone", "call c", "call c alone",
    ]  # fmt: skip
    assert (view(game).upcard, view(game).upcard_place) == ("9s", "down")
    play(game, "0 pass, 1 call h")
    assert (view(game).maker, view(game).trump, view(game).stage) == (1, "h", "play")
    assert game.view(3).hand == ("Ac", "Kc", "Qc", "Tc", "9c")


def test_all_pass_twice_is_thrown_in() -> None:
    """V1.5.3, T4, A8: nobody scores, the deal moves left."""
    game = play(deal(MARCH), "0 pass, 1 pass, 2 pass, 3 pass, 0 pass, 1 pass, 2 pass, 3 pass")
    assert game.results[0].ended == "thrown in"
    assert change(game) == (0, 0, 0, 0)
    assert (game.hand_number, game.dealer, game.actor) == (1, 0, 1)


def test_option_stick_dealer() -> None:
    """V1.10 `stick_dealer`: in the second round the dealer may not pass; the others may."""
    game = play(deal(MARCH, stick_dealer=True), "0 pass, 1 pass, 2 pass, 3 pass, 0 pass, 1 pass, 2 pass")
    assert tokens(game) == ["call h", "call h alone", "call d", "call d alone", "call c", "call c alone"]


@pytest.mark.parametrize(
    ("jambone", "left"), [(False, ["pass", "order alone"]), (True, ["pass", "order alone", "order jambone"])]
)
def test_option_assist_must_go_alone(jambone: bool, left: list[str]) -> None:
    """V1.10 `assist_must_go_alone`, E6: it binds the dealer's partner in the first round only."""
    game = play(deal(MARCH, dealer=2, assist_must_go_alone=True, jambone=jambone), "3 pass")
    assert tokens(game) == left
    play(game, "0 pass, 1 pass")
    assert "order" in tokens(game), "the dealer himself is free"
    play(game, "2 pass, 3 pass")
    assert "call h" in tokens(game)


def test_the_partner_of_a_lone_maker_sits_out_unseen() -> None:
    """V1.6, L2."""
    game = play(deal(MARCH), "0 order alone, 3 discard 9c")
    assert game.view(1).active == (0, 1, 3)
    trick(game, "0: Js Ah 9s")
    assert game.actor == 0
    assert game.view(2).hand == ("Ad", "Kd", "Qd", "Jd", "Td")
    assert game.view(1).laid == ()


def test_eldest_hand_leads() -> None:
    """V1.7, A6."""
    game = play(deal(MARCH), "0 pass, 1 pass, 2 order, 3 discard 9c")
    assert (game.actor, view(game).leader) == (0, 0)


def test_the_lead_passes_over_a_seat_that_sits_out() -> None:
    """A6, A18.7."""
    game = play(deal(MARCH), "0 pass, 1 pass, 2 order alone, 3 discard 9c")
    assert game.actor == 1


def test_option_lone_lead_left_of_lone() -> None:
    """L5 `lone_lead`, E5: only when the maker is alone."""
    game = play(deal(MARCH, lone_lead="left_of_lone"), "0 pass, 1 order alone, 3 discard 9c")
    assert game.actor == 2
    game = play(deal(MARCH, lone_lead="left_of_lone"), "0 pass, 1 order, 3 discard 9c")
    assert game.actor == 0


def test_the_winner_of_a_trick_leads_to_the_next() -> None:
    """A5."""
    game = play(deal(FOUR), "0 order, 3 discard 9c")
    trick(game, "0: 9h Ah Ad Ac")
    assert (game.actor, game.view(0).tricks_won, game.view(0).trick_number) == (1, (0, 1, 0, 0), 1)


def test_one_must_follow_suit_with_the_left_bower_too() -> None:
    """A4, V1.7."""
    hands = {0: "As 9h 9d 9c Tc", 1: "Jc Ac Kc Ah Ad", 3: "Qh Jh Th Qd Jd"}
    game = play(deal(hands, upcard="9s"), "0 order, 3 discard Qh, 0 play As")
    assert tokens(game) == ["play Jc"]
    hands[1] = "Jc Ah Kh Ad Kd"
    game = play(deal(hands, upcard="9s"), "0 order, 3 discard Qh, 0 play 9c")
    assert len(tokens(game)) == 5, "the left bower is no club"


@pytest.mark.parametrize(
    ("hands", "call", "expected"),
    [
        (MARCH, "order", (2, 0)),
        (FOUR, "order", (1, 0)),
        (EUCHRED, "order", (0, 2)),
        (MARCH, "order alone", (4, 0)),
        (FOUR, "order alone", (1, 0)),
        (EUCHRED, "order alone", (0, 2)),
    ],
)
def test_scoring_table(hands: Mapping[int, str], call: str, expected: tuple[int, int]) -> None:
    """V1.8."""
    game = play(deal(hands), f"0 {call}, 3 discard 9c")
    assert points(game) == expected
    assert change(game) == expected * 2, "partners have their team's score"


def test_three_tricks_are_enough() -> None:
    """V1.8: exactly three make the point, exactly two are a euchre."""
    hands = {0: "Js Jc As 9h 9d", 1: "Ah Kh Qh Jh Th", 2: "Qd Kd 9c Jd Td", 3: "Ac Kc Qc Tc Ad"}
    game = play(deal(hands), "0 order, 3 discard Qc")
    for line in ("0: Js Th Td 9s", "0: Jc Jh Jd Tc", "0: As Qh 9c Kc", "0: 9h Ah Qd Ac"):
        trick(game, line)
    assert points(game) == (1, 0)
    assert game.results[0].tricks == (3, 2, 0, 0)
    hands[0] = "Js Jc 9h 9d Th"
    hands[1] = "Ah Kh Qh Jh As"
    game = play(deal(hands), "0 order, 3 discard Qc")
    for line in ("0: Js As Td 9s", "0: Jc Jh Jd Tc", "0: 9h Ah Qd Ac"):
        trick(game, line)
    assert points(game) == (0, 2)
    assert game.results[0].tricks[0] == 2


def test_every_trick_is_played() -> None:
    """A13: also if the result is certain."""
    game = play(deal(EUCHRED), "0 order, 3 discard 9c")
    play_out(game)
    assert sum(event.action.kind == "play" for event in game.results[0].history) == 20


def test_option_lone_euchre_points() -> None:
    """V1.10 `lone_euchre_points`: against two defenders, and only when the maker is alone."""
    assert points(play(deal(EUCHRED, lone_euchre_points=4), "0 order alone, 3 discard 9c")) == (0, 4)
    assert points(play(deal(EUCHRED, lone_euchre_points=4), "0 order, 3 discard 9c")) == (0, 2)


def test_nobody_defends_alone_by_default() -> None:
    """V1.5.5, V1.12.3."""
    assert view(play(deal(MARCH), "0 order alone, 3 discard 9c")).stage == "play"


def test_option_defend_alone_vs_alone() -> None:
    """L3: the defenders are asked from the maker's left after the pick-up; the first to accept ends it."""
    game = play(deal(EUCHRED, defend_alone="vs_alone"), "0 order alone, 3 discard 9c")
    assert (game.actor, view(game).stage, tokens(game)) == (1, "defend alone", ["defend", "decline"])
    play(game, "1 decline")
    assert game.actor == 3
    play(game, "3 decline")
    assert (view(game).stage, view(game).lone_defender) == ("play", None)
    game = play(deal(EUCHRED, defend_alone="vs_alone"), "0 order alone, 3 discard 9c, 1 defend")
    assert (view(game).lone_defender, view(game).active, game.actor) == (1, (0, 1), 0)
    assert points(game) == (0, 4)
    game = play(deal(EUCHRED, defend_alone="vs_alone"), "0 order, 3 discard 9c")
    assert view(game).stage == "play", "the maker is not alone"


def test_option_defend_alone_always() -> None:
    """V1.8: a lone defender who takes three tricks or more always scores 4."""
    game = play(deal(EUCHRED, defend_alone="always"), "0 order, 3 discard 9c, 1 defend")
    assert view(game).active == (0, 1, 2)
    assert points(game) == (0, 4)
    game = play(deal(EUCHRED, defend_alone="always", lone_euchre_points=4), "0 order alone, 3 discard 9c, 1 defend")
    assert points(game) == (0, 4)
    assert points(play(deal(FOUR, defend_alone="always"), "0 order, 3 discard 9c, 1 defend")) == (1, 0)


def test_first_team_with_ten_points_wins() -> None:
    """V1.9."""
    game = new_game("euchre", first_dealer=3, packs=[[deal(MARCH).packs[0]] for _ in range(2)] * 5)
    hands = 0
    while not game.is_over:
        if game.dealer == 3:
            play(game, "0 order alone, 3 discard 9c")
            play_out(game, hands)
        else:
            while game.hand_number == hands:
                game.apply("pass")
        hands += 1
    assert (game.scores, game.ended, game.winners, game.ranks) == ((12, 0, 12, 0), "target", (0, 2), (1, 2, 1, 2))
    assert game.view(0).stage == "over"
    assert game.legal_actions() == ()


def test_option_target() -> None:
    """V1.10 `target`."""
    game = play(deal(MARCH, target=2), "0 order, 3 discard 9c")
    play_out(game)
    assert (game.is_over, game.winners, game.games) == (True, (0, 2), ())


def test_option_max_hands() -> None:
    """A15, E14: hands thrown in count; equal scores share the first place."""
    passes = "0 pass, 1 pass, 2 pass, 3 pass, 0 pass, 1 pass, 2 pass, 3 pass"
    game = play(deal(MARCH, max_hands=1), passes)
    assert (game.ended, game.winners, game.ranks) == ("limit", (0, 1, 2, 3), (1, 1, 1, 1))
    game = play(deal(MARCH, max_hands=1), "0 order, 3 discard 9c")
    play_out(game)
    assert (game.ended, game.winners, game.ranks) == ("limit", (0, 2), (1, 2, 1, 2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deck": 25}, "deck of euchre must be 24, 28 or 32, not 25"),
        ({"target": 0}, "a whole number from 1 up"),
        ({"target": True}, "target of euchre must be a whole number from 1 up, not true"),
        ({"defend_alone": "allways"}, "did you mean 'always'?"),
        ({"stik_dealer": True}, "unknown option 'stik_dealer' of euchre, did you mean 'stick_dealer'?"),
        ({"max_hands": -1}, "from 0 up"),
        ({"stick_dealer": "yes"}, "must be false or true, not"),
        ({"jamboree_holder": "maker"}, "unknown option 'jamboree_holder' of euchre"),
    ],
)
def test_a_wrong_option_is_refused_by_name(options: dict[str, object], message: str) -> None:
    """V1.10, E3, E16."""
    with pytest.raises(InvalidOption) as refused:
        new_game("euchre", options)
    assert message in refused.value.args[0]
