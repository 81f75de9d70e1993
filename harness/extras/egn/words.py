"""Shows an EGN game as lines for people, as far as it is known. What is not known is a question mark."""

from __future__ import annotations

from collections.abc import Iterator

from bowerbird.harness.extras.egn.game import ORDER, PASS, SEATS, is_known
from bowerbird.harness.extras.egn.judge import HAND, JudgedGame, PlayedDeal, PlayedTrick
from bowerbird.harness.records.quoting import shown

LONGEST_NAME = 40


def lines_of(game: JudgedGame, deal: int | None = None) -> Iterator[str]:
    """Yield the lines of a game, or of its deal with this index alone. Foreign names are shown harmlessly."""
    names = [shown(name, LONGEST_NAME) for name in game.game.players]
    if deal is None:
        title = shown(game.game.title, 80)
        yield f"{title or 'a game'} in EGN: {' and '.join(names[::2])} against {' and '.join(names[1::2])}"
        if game.missing:
            yield f"partial: {shown(game.missing)}"
    for at, played in enumerate(game.deals):
        if deal is None or deal == at:
            yield ""
            yield from _deal(game, at, played, names[played.deal.dealer])


def _deal(game: JudgedGame, at: int, played: PlayedDeal, dealer: str) -> Iterator[str]:
    deal = played.deal
    yield f"deal {deal.number}, dealer seat {deal.dealer} ({dealer})"
    for seat, hand in enumerate(played.hands):
        cards = [card if is_known(card) else "?" for card in hand]
        yield f"  seat {seat}  {' '.join([*cards, *['?'] * (HAND - len(cards))])}"
    yield f"  upcard  {deal.upcard if is_known(deal.upcard) else '?'}"
    for step, call in enumerate(deal.calls or ()):
        yield f"  seat {(deal.dealer + 1 + step) % SEATS}  {_call(call, deal.is_alone)}"
    if deal.calls and deal.calls[-1] == ORDER:
        known = deal.discard if deal.discard is not None and is_known(deal.discard) else "?"
        yield f"  seat {deal.dealer}  discard {known}"
    for one in played.exchanges:
        source = "the kitty" if one.sender is None else f"seat {one.sender}"
        cards = [card if is_known(card) else "?" for card in one.cards]
        yield f"  seat {one.receiver}  takes {' '.join(cards)} from {source}"
    if deal.lone_defender is not None:
        yield f"  seat {deal.lone_defender}  defend"
    if played.maker is not None:
        yield f"  trump   {played.trump or '?'}, maker seat {played.maker}{' alone' if deal.is_alone else ''}"
    for number, trick in enumerate(played.tricks, start=1):
        yield f"  trick {number} {_trick(trick)}"
    if played.missing:
        yield f"  not known: {played.missing}"
    score = game.scores[at]
    yield "  scores  " + ("?" if score is None else f"{score[0]} to {score[1]}")


def _call(call: str, is_alone: bool) -> str:
    if call == PASS:
        return "pass"
    words = "order" if call == ORDER else f"call {call if call != 'x' else '?'}"
    return f"{words} alone" if is_alone else words


def _trick(trick: PlayedTrick) -> str:
    cards = "   ".join(f"{seat} {card if is_known(card) else '?'}" for seat, card in trick.cards)
    return cards if trick.winner is None else f"{cards}   won by {trick.winner}"
