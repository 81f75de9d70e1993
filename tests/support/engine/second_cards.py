"""Cards and tricks once more, from A3 to A6 and B8 of the rules in plain Python: cards are text, hands are lists.

The second implementations of whole games build on it; nothing of the engine is used.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Sequence

Asked = tuple[int, list[str]]
"""The seat that is asked, and all it may say, in the order of the notation."""

Hands = Sequence[list[str]]
SUITS = "shdc"
MATE = {"s": "c", "c": "s", "h": "d", "d": "h"}
RANKS = "AKQJT98765432"
JOKER = "X1"


def suit_of(card: str, trump: str) -> str:
    """Return the suit that a card counts for (A3); `trump` is a suit or "nt"."""
    if card == JOKER or (card[0] == "J" and MATE.get(trump) == card[1]):
        return trump
    return card[1]


def height(card: str, trump: str) -> int:
    """Return how high a card is in the suit that it counts for."""
    if card == JOKER:
        return 100
    if card[0] == "J" and trump in MATE and suit_of(card, trump) == trump:
        return 99 if card[1] == trump else 98
    return -RANKS.index(card[0])


def beats(card: str, best: str, trump: str) -> bool:
    """Return whether a card takes the trick from the best card before it (A5)."""
    suit, led = suit_of(card, trump), suit_of(best, trump)
    return height(card, trump) > height(best, trump) if suit == led else suit == trump


def tokens(word: str, cards: Iterable[str]) -> list[str]:
    """Return a token for each card, in canonical order."""
    places = {card: (SUITS.find(card[1]) % 5, RANKS.find(card[0])) for card in cards}
    return [f"{word} {card}" for card in sorted(places, key=places.__getitem__)]


def dealt(pack: list[str], seats: Sequence[int], packets: Sequence[int]) -> tuple[list[list[str]], list[str]]:
    """Return the hand of each seat after packets from the top of the pack in the order of `seats`, and the rest."""
    hands: list[list[str]] = [[] for _ in seats]
    at = 0
    for size in packets:
        for seat in seats:
            hands[seat] += pack[at : at + size]
            at += size
    return hands, pack[at:]


def tricks(
    hands: Hands, trump: str, leader: int, active: Collection[int], count: int
) -> Generator[Asked, str, list[int]]:
    """Play the tricks; return how many each seat won."""
    won = [0] * len(hands)
    for _ in range(count):
        led = best = ""
        for seat in turns(leader, len(hands)):
            if seat not in active:
                continue
            following = [card for card in hands[seat] if led and suit_of(card, trump) == led]
            card = (yield seat, tokens("play", following or hands[seat])).split()[1]
            hands[seat].remove(card)
            if not led:
                led, best, leader = suit_of(card, trump), card, seat
            elif beats(card, best, trump):
                best, leader = card, seat
        won[leader] += 1
    return won


def turns(first: int, players: int) -> list[int]:
    """Return all seats clockwise from the first."""
    return [(first + step) % players for step in range(players)]


def answered(hand: Generator[Asked, str, None], said: str) -> Asked | None:
    """Return the next question of a hand after an answer, or None at its end."""
    try:
        return hand.send(said)
    except StopIteration:
        return None
