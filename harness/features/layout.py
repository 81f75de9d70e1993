"""The layout of observations: the meaning of each number in the array. It depends only on variant and options.

An observation has four parts. *Table*: facts of the hand that concern no seat. *Seats*: a block for each seat, the
observing seat first, then clockwise; all blocks have the same form. *Own*: facts that only the observing seat knows.
These three consist of ones and zeros. *Numbers*: unscaled counts and scores.

A set of cards has a place for each card of the pack in canonical order (notation.md). In a double pack the two places
of a card are side by side; the second is 1 if the set contains both copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from bowerbird.engine import Action, OptionValue, Rules, rules_of

TRUMPS = ("s", "h", "d", "c", "nt")
LOW = "low"
"""No trump in which the lowest card wins (B8). It has its own place only where it may be named."""

PLACES = ("up", "down", "taken", "out")
"""The places of an upcard (`SeatView.upcard_place`)."""

HOWS = ("alone", "jambone")

CARDS_LEARNT: Mapping[str, str] = {
    "discarded": "cards discarded by the seat",
    "left": "cards of a hand that the seat gave up unplayed",
    "widow": "cards that the seat took from a pile",
    "gave": "the card that the seat gave to a partner",
    "received": "the card that a partner gave to the seat",
}
"""Kinds of `Memory` with their own field, if a phase declares them. The cards dealt follow from the rest."""


class Field(NamedTuple):
    """A part of an observation: its first place, its number of places, and their meaning.

    A field of the part `seats` exists once for each seat: `offset` is its place in the block of the observing seat, and
    it recurs every `Layout.block` places, `Layout.players` times in all. `values` are the meanings of the single
    places; () if `meaning` is enough.
    """

    name: str
    part: str
    offset: int
    length: int
    meaning: str
    values: tuple[str, ...] = ()


class _Row(NamedTuple):
    """A field without an offset yet."""

    name: str
    length: int
    meaning: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Layout:
    """The layout of the observations of a variant under its options.

    >>> layout = layout_of("euchre")
    >>> layout.size, layout.block, layout["hand"].offset
    (491, 69, 439)

    Attributes:
        rules: the variant with its options.
        players: number of seats.
        fields: every field in order, by name.
        said: the actions without a card, which are marked in the field `said` of each seat's block.
        block: number of places in the block of a seat.
        seats: first place of the part `seats`.
        own: first place of the part `own`.
        bits: number of places with ones and zeros; the numbers follow.
        size: number of places in all.
    """

    rules: Rules
    players: int = field(init=False)
    fields: Mapping[str, Field] = field(init=False)
    said: tuple[Action, ...] = field(init=False)
    block: int = field(init=False)
    seats: int = field(init=False)
    own: int = field(init=False)
    bits: int = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        rules = self.rules
        said = tuple(action for action in rules.every_action() if not action.card)
        found: dict[str, Field] = {}
        table = _placed(found, "table", 0, _table(rules))
        block = _placed(found, "seats", table, _of_each_seat(rules, said))
        own = table + rules.players * (block - table)
        bits = _placed(found, "own", own, _of_own_seat(rules))
        size = _placed(found, "numbers", bits, _numbers(rules))
        values = {"players": rules.players, "fields": found, "said": said, "block": block - table, "seats": table}
        for name, value in {**values, "own": own, "bits": bits, "size": size}.items():
            object.__setattr__(self, name, value)

    def __getitem__(self, name: str) -> Field:
        """Return a field; raise KeyError if the variant with its options does not have it."""
        return self.fields[name]

    def __contains__(self, name: str) -> bool:
        return name in self.fields

    def __str__(self) -> str:
        """Return the fields, one per line: places in the block of the observing seat, name, meaning."""
        lines = []
        for each in self.fields.values():
            last = each.offset + each.length - 1
            places = str(last) if each.length == 1 else f"{each.offset}-{last}"
            sign = "*" if each.part == "seats" else " "
            values = f": {', '.join(each.values)}" if each.values else ""
            lines.append(f"{places:>9}{sign} {each.name:<15}{each.meaning}{values}")
        blocks = f"* again {self.block} places later for the next seat clockwise, and so on: {self.players} blocks"
        return "\n".join([*lines, blocks, f"{self.size} numbers in all, of which {self.bits} are ones and zeros"])


def _placed(found: dict[str, Field], part: str, offset: int, rows: Iterator[_Row]) -> int:
    """Add the rows of a part to `found`, the first at `offset`; return the place after the last."""
    for name, length, meaning, values in rows:
        found[name] = Field(name, part, offset, length, meaning, values)
        offset += length
    return offset


def _table(rules: Rules) -> Iterator[_Row]:
    facts, cards = rules.facts(), rules.pack.size
    stages = rules.stages()
    yield _Row("stage", len(stages), "the question that is open; none while it is private to another seat", stages)
    trumps = (*TRUMPS, LOW) if any(action.suit == LOW for action in rules.every_action()) else TRUMPS
    yield _Row("trump", len(trumps), "the trump suit; none until it is fixed", trumps)
    if "how" in facts:
        yield _Row("how", len(HOWS), "how the maker plays; none with partners", HOWS)
    if "upcard" in facts:
        yield _Row("upcard", cards, "the upcard, wherever it is now")
        yield _Row("upcard_place", len(PLACES), "where the upcard is", PLACES)
    if "proposed" in facts:
        yield _Row("proposed", 4, "the suit proposed for a turned joker", TRUMPS[:4])
    yield _Row("tricks", rules.most_tricks * cards, "by trick from the first, the cards played to it")


def _of_each_seat(rules: Rules, said: tuple[Action, ...]) -> Iterator[_Row]:
    facts, cards = rules.facts(), rules.pack.size
    yield _Row("dealer", 1, "the seat dealt")
    yield _Row("maker", 1, "the seat is the maker")
    yield _Row("active", 1, "the seat takes part in the play of this hand")
    yield _Row("leader", 1, "the seat led, or leads, the trick")
    if "lone_defender" in facts:
        yield _Row("lone_defender", 1, "the seat defends alone")
    if "highest_bid" in facts:
        yield _Row("highest_bidder", 1, "the seat made the highest bid so far")
    if "upcard" in facts:
        yield _Row("upcard_holder", 1, "the seat took the upcard")
    tokens = tuple(str(action) for action in said)
    yield _Row("said", len(said), "actions without a card that the seat has made in this hand", tokens)
    yield _Row("won", rules.most_tricks, "tricks won: the first place is 1 from one trick, the second from two, …")
    yield _Row("trick", cards, "the card that the seat has played to the trick on the table")
    yield _Row("played", cards, "the cards that the seat has played in this hand")
    if "laid" in facts:
        yield _Row("laid", cards, "the seat's cards that lie face up")
    if "shown" in facts:
        yield _Row("shown", cards, "the cards that the seat has shown and put away (B7)")


def _of_own_seat(rules: Rules) -> Iterator[_Row]:
    facts, cards = rules.facts(), rules.pack.size
    yield _Row("side", rules.players, "by seat from the observing one: 1 if it is on the observing side in this hand")
    if any(action.seat is not None for action in rules.every_action()):
        numbers = tuple(map(str, rules.seats))
        yield _Row("seat", rules.players, "the number of the observing seat, since some actions name seats", numbers)
    yield _Row("hand", cards, "own cards in hand")
    for what, meaning in CARDS_LEARNT.items():
        if what in facts:
            yield _Row(what, cards, meaning)


def _numbers(rules: Rules) -> Iterator[_Row]:
    facts = rules.facts()
    yield _Row("scores", rules.players, "scores, by seat from the observing one")
    if "games" in facts:
        yield _Row("games", rules.players, "games credited (B4), by seat from the observing one")
    if "drops" in facts:
        yield _Row("drops", rules.players, "consecutive drops (B5), by seat from the observing one")
    if "covered" in facts:
        yield _Row("covered", rules.players, "face-down cards on the table, by seat from the observing one")
    if "contract" in facts:
        yield _Row("contract", 1, "the maker's contract; 0 if there is none")
    if "highest_bid" in facts:
        yield _Row("highest_bid", 1, "the highest bid so far; 0 if there is none")


def layout_of(variant: str, options: Mapping[str, object] | None = None) -> Layout:
    """Return the layout of a variant under `options`, computed once.

    Raises:
        UnknownVariant: no variant has this name.
        InvalidOption: an option is not allowed.
    """
    return _laid_out(variant, rules_of(variant).rules(options).options)


@lru_cache(maxsize=512)
def _laid_out(variant: str, options: Mapping[str, OptionValue]) -> Layout:
    return Layout(rules_of(variant).rules(options))
