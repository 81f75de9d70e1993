"""Describes what a seat saw before a decision, as in "trick 2, trump ♥; on the table A♠, the others win".

Input: records and mistakes in them. Output: a line for each mistake, made only of what the seat knew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from bowerbird.engine import Game, SeatView
from bowerbird.harness.extras.analysis.kinds import PLAYS
from bowerbird.harness.extras.analysis.profile import Mistake
from bowerbird.harness.records.replay.replay import replay
from bowerbird.harness.records.replay.words import SIGNS, bid_in_words, card_sign
from bowerbird.harness.records.store.store import Store

SUITS = "shdc"

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
"""The places in turn after the dealer, who is last."""


def before_mistakes(store: Store, mistakes: Sequence[Mistake]) -> Callable[[Mistake], str]:
    """Return a function that describes what the seat saw before each of these mistakes.

    Raises StoreError, and RecordError if a record breaks the rules.
    """
    places: dict[str, set[tuple[int, int]]] = {}
    for one in mistakes:
        places.setdefault(one.game, set()).add((one.decision.hand, one.decision.step))
    said = {
        (game, step.hand, step.index): situation(step.before)
        for game, wanted in places.items()
        for step in replay(store.record(game))
        if (step.hand, step.index) in wanted
    }
    return lambda one: said[one.game, one.decision.hand, one.decision.step]


def situation(game: Game) -> str:
    """Return the view of the seat that must decide. There must be one."""
    assert game.actor is not None, "a seat must decide"
    view = game.view(game.actor)
    parts = [", ".join(_terms(view))]
    if view.trick:
        wins = "its partner wins" if game.open_trick().partner_wins else "the others win"
        parts.append(f"on the table {_cards(card for _, card in view.trick)}, {wins}")
    parts += _own_cards(game, view)
    return "; ".join(part for part in parts if part)


def _terms(view: SeatView) -> Iterator[str]:
    """Yield the trick, trump and its maker; or the subject of the bidding, and the seat's place in it."""
    if any(action.kind in PLAYS for action in view.legal):
        own = view.sides[view.seat]
        won = sum(tricks for side, tricks in zip(view.sides, view.tricks_won, strict=True) if side == own)
        yield f"trick {view.trick_number + 1}{f' ({won} won)' if view.trick_number else ''}"
    if view.trump:
        for_tricks = f" for {view.contract}" if view.contract else ""
        yield (f"trump {SIGNS[view.trump]}" if view.trump in SUITS else SIGNS[view.trump]) + for_tricks
        yield from _maker(view)
        yield _score(view)
        return
    yield "dealer" if view.dealer == view.seat else f"{ORDINALS[(view.seat - view.dealer) % view.players - 1]} seat"
    if view.upcard:
        yield f"{card_sign(view.upcard)} turned {'down' if view.upcard_place == 'down' else 'up'}"
    if view.highest_bid:
        yield f"highest bid {bid_in_words(view.history, view.highest_bid)}"
    yield _score(view)


def _maker(view: SeatView) -> Iterator[str]:
    """Yield who made trump, from the seat's point of view, and how."""
    if view.maker is not None:
        partner = "its partner" if view.sides[view.maker] == view.sides[view.seat] else "an opponent"
        yield "own call" if view.maker == view.seat else f"called by {partner}"
    if view.how:
        yield view.how


def _score(view: SeatView) -> str:
    """Return the score, with the seat's own side first."""
    sides = {view.sides[seat]: view.scores[seat] for seat in range(view.players)}
    own = sides.pop(view.sides[view.seat])
    return f"score {':'.join(map(str, (own, *sides.values())))}"


def _own_cards(game: Game, view: SeatView) -> Iterator[str]:
    """Yield the seat's cards from the highest down, trumps first. Before the call, the upcard's suit comes first."""
    trump = view.trump or (view.upcard[-1] if view.upcard and view.upcard_place == "up" else "")
    pack = game.rules.pack
    ranking = pack.order(trump).ranking if trump and trump in SUITS else ()
    places = {pack.code[bit]: place for place, bit in reversed([*enumerate(ranking)])}

    def sorted_cards(cards: Sequence[str]) -> str:
        return _cards(sorted(cards, key=lambda card: places.get(card, len(ranking))))

    if view.hand:
        yield f"holds {sorted_cards(view.hand)}"
    if view.laid and view.laid[view.seat]:
        yield f"laid open {sorted_cards(view.laid[view.seat])}"


def _cards(cards: Iterable[str]) -> str:
    return " ".join(map(card_sign, cards))
