"""Hands of cards written out by hand, for tests that check a rule of rules.md.

    game = scenario("euchre", dealer=3, hands={0: "As Ks Qs Ts 9s", 1: "Ah Kh Qh Th 9h"}, upcard="Js")
    play(game, "0 order", "3 discard 9c")
    trick(game, "0: As 9h ...")

Hands, upcard and piles that are not given are filled with the cards left over, in canonical order, so that every
scenario is fixed to the last card. Hands after the first are dealt from the unshuffled pack.
"""

from __future__ import annotations

from collections.abc import Mapping

from bowerbird.engine import Game, HandResult, SeatView, new_game, rules_of


def written_pack(
    variant: str,
    dealer: int,
    hands: Mapping[int, str],
    *,
    upcard: str = "",
    piles: Mapping[str, str] | None = None,
    options: Mapping[str, object] | None = None,
) -> str:
    """Return the pack that, dealt by this dealer, gives these hands, upcard and piles.

    `hands` (by seat) and `piles` (by name, `Rules.piles`) may be shorter than what is dealt. A pile's cards are in the
    order dealt.
    """
    rules = rules_of(variant).rules(options)
    plan = rules.plans[dealer]
    places: dict[int, str] = {}
    for seat, cards in hands.items():
        places.update(zip(plan.hands[seat](range(rules.pack.size)), cards.split(), strict=False))
    for name, cards in (piles or {}).items():
        places.update(zip(dict(plan.piles)[name], cards.split(), strict=False))
    if upcard:
        assert plan.upcard is not None, f"{variant} has no upcard"
        places[plan.upcard] = upcard
    left = list(rules.pack.codes)
    for code in places.values():
        assert code in left, f"{code} is written too often or is not in the pack of {variant}"
        left.remove(code)
    return " ".join(places.get(place) or left.pop(0) for place in range(rules.pack.size))


def scenario(
    variant: str,
    *,
    dealer: int,
    hands: Mapping[int, str],
    upcard: str = "",
    piles: Mapping[str, str] | None = None,
    options: Mapping[str, object] | None = None,
    later: int = 3,
) -> Game:
    """Return a game whose first hand is dealt as written; `later` more hands come from the unshuffled pack."""
    pack = written_pack(variant, dealer, hands, upcard=upcard, piles=piles, options=options)
    unshuffled = " ".join(rules_of(variant).rules(options).pack.codes)
    return new_game(variant, options, first_dealer=dealer, packs=[[pack], *[[unshuffled]] * later])


def play(game: Game, *lines: str) -> Game:
    """Make these decisions, each written "seat token" as in a record; commas separate several in one line."""
    for line in ", ".join(lines).split(", "):
        seat, token = line.split(" ", 1)
        assert game.actor == int(seat), f"{line!r}: seat {game.actor} is to decide, {tokens(game)}"
        game.apply(token)
    return game


def trick(game: Game, line: str) -> Game:
    """Play a trick written "leader: cards in order", such as "0: As 9h"."""
    leader, cards = line.split(": ")
    assert game.actor == int(leader), f"{line!r}: seat {game.actor} is to lead"
    for card in cards.split():
        game.apply(f"play {card}")
    return game


def play_out(game: Game, hand: int = 0) -> HandResult:
    """Make the first legal decision until this hand is over; return its result."""
    while len(game.results) <= hand:
        game.apply(game.legal_actions()[0])
    return game.results[hand]


def tokens(game: Game) -> list[str]:
    """Return the legal actions as tokens, in canonical order."""
    return [str(action) for action in game.legal_actions()]


def view(game: Game) -> SeatView:
    """Return the view of the seat to decide."""
    assert game.actor is not None
    return game.view(game.actor)


def change(game: Game, hand: int = 0, start: int = 0) -> tuple[int, ...]:
    """Return the change of score in a finished hand, by seat; `start` is the score at the beginning of the game."""
    before = game.results[hand - 1].scores if hand else (start,) * game.players
    return tuple(after - old for after, old in zip(game.results[hand].scores, before, strict=True))


def hands_in_a_row(
    variant: str,
    hands: Mapping[int, str],
    *,
    upcard: str = "",
    piles: Mapping[str, str] | None = None,
    options: Mapping[str, object] | None = None,
) -> Game:
    """Return a game in which the same cards are dealt again and again.

    `hands` are by place from the eldest, who is seat 0 at first.
    """
    players = rules_of(variant).seats(options)
    packs = []
    for number in range(6):
        dealer = (players - 1 + number) % players
        turned = {(place + number) % players: cards for place, cards in hands.items()}
        packs.append([written_pack(variant, dealer, turned, upcard=upcard, piles=piles, options=options)])
    return new_game(variant, options, first_dealer=players - 1, packs=packs)
