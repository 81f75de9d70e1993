"""Sources of shuffled packs: a seed, or the packs of a record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bowerbird.engine.cards.pack import Pack
from bowerbird.engine.cards.shuffle import Stream, written
from bowerbird.engine.errors import RecordError


class PackSource(Protocol):
    """A source of shuffled cards. It is immutable: equal arguments always yield equal orders."""

    @property
    def finite(self) -> bool:
        """Whether packs can run out, so that a game must be able to undo an action."""

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """Return `cards` (bits in canonical order) in the order of shuffle number `shuffle` of hand `hand`.

        Both numbers begin at 0.

        Raises:
            RecordError: the pack is missing or contains other cards.
        """


class SeededPacks:
    """All packs of one game, made from a seed (notation.md, Shuffling)."""

    __slots__ = ("_fields", "_seed", "finite")

    def __init__(self, seed: bytes, entry: str, set_number: int) -> None:
        self.finite = False
        self._seed = seed
        self._fields = written("pack", entry, set_number)

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """Return a uniformly random order of `cards`; see `PackSource`."""
        return tuple(Stream(self._seed, self._fields + written(hand, shuffle)).shuffled(cards))


class ListedPacks:
    """The packs of a record: for each hand, the texts of its shuffles in order."""

    __slots__ = ("_hands",)
    finite = True

    def __init__(self, hands: Sequence[Sequence[str]], pack: Pack) -> None:
        """Raise RecordError if a hand has no pack, or its first pack is not a permutation of the game's pack."""
        if not hands:
            raise RecordError("no pack is given, not even for hand 0")
        self._hands = tuple(tuple(shuffles) for shuffles in hands)
        for hand, shuffles in enumerate(self._hands):
            if isinstance(hands[hand], str):
                raise RecordError(f"hand {hand}: packs are a list of texts, one for each shuffle, not one text")
            if not shuffles:
                raise RecordError(f"hand {hand}: no pack is given")
            self.shuffled(hand, 0, pack, pack.cards)

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """Return the order given in the record; see `PackSource`."""
        where = f"hand {hand}" if shuffle == 0 else f"hand {hand}, shuffle {shuffle}"
        if hand >= len(self._hands) or shuffle >= len(self._hands[hand]):
            raise RecordError(f"{where}: no pack is given, and the game needs one")
        codes = self._hands[hand][shuffle].split()
        if len(codes) != len(cards):
            raise RecordError(f"{where}: the pack has {len(codes)} cards, but must have {len(cards)}")
        free = sum(cards)
        order = []
        for place, code in enumerate(codes):
            copies = pack.bits.get(code, 0)
            if not copies:
                raise RecordError(f'{where}: card {place} is "{code}", which is not in this pack')
            card = copies & free
            if not card:
                raise RecordError(f'{where}: card {place} is "{code}" once too often')
            card &= -card
            free ^= card
            order.append(card)
        return tuple(order)


class DealtPacks:
    """The packs of a hand already dealt, then those of another source for later hands (for `sample_game`)."""

    __slots__ = ("_dealt", "_hand", "_later")
    finite = False

    def __init__(self, hand: int, dealt: tuple[tuple[int, ...], ...], later: PackSource) -> None:
        self._hand = hand
        self._dealt = dealt
        self._later = later

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """Return the pack already dealt, or one from the later source; see `PackSource`."""
        if hand == self._hand and shuffle < len(self._dealt):
            return self._dealt[shuffle]
        return self._later.shuffled(hand, shuffle, pack, cards)


class UnshuffledLater:
    """The packs of another source for one hand, and unshuffled packs for all other hands."""

    __slots__ = ("_hand", "_source", "finite")

    def __init__(self, hand: int, source: PackSource) -> None:
        self.finite = False
        self._hand = hand
        self._source = source

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """Return the order of the other source for its hand, otherwise `cards` unchanged; see `PackSource`."""
        return self._source.shuffled(hand, shuffle, pack, cards) if hand == self._hand else cards
