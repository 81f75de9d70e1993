"""Where shuffled packs come from: a seed, or the packs of a record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.cards import Pack
from engine.errors import RecordError
from engine.shuffle import Stream, written


class PackSource(Protocol):
    """Yields the shuffled cards of a hand; the same question always has the same answer. Immutable."""

    @property
    def finite(self) -> bool:
        """Whether there may be no answer, so that a game must be ready to take back what it began."""

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """`cards` (bits in canonical order) as the shuffle of this number in this hand left them, both from 0.

        Raises:
            RecordError: this pack is missing or holds other cards.
        """


class SeededPacks:
    """Every pack of one game from one seed (NOTATION.md, Shuffling)."""

    __slots__ = ("_fields", "_seed", "finite")

    def __init__(self, seed: bytes, entry: str, set_number: int) -> None:
        self.finite = False
        self._seed = seed
        self._fields = written("pack", entry, set_number)

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """A uniformly random order of `cards`; see `PackSource`."""
        return tuple(Stream(self._seed, self._fields + written(hand, shuffle)).shuffled(cards))


class ListedPacks:
    """The packs of a record: for each hand, the text of each of its shuffles in order."""

    __slots__ = ("_hands",)
    finite = True

    def __init__(self, hands: Sequence[Sequence[str]], pack: Pack) -> None:
        """Raises RecordError when a hand has no pack, or its first pack is not a permutation of the game's pack."""
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
        """The cards as the record says; see `PackSource`."""
        where = f"hand {hand}" if shuffle == 0 else f"hand {hand}, shuffle {shuffle}"
        if hand >= len(self._hands) or shuffle >= len(self._hands[hand]):
            raise RecordError(f"{where}: no pack is given, and the game needs one")
        codes = self._hands[hand][shuffle].split()
        if len(codes) != len(cards):
            raise RecordError(f"{where}: the pack has {len(codes)} cards, it must have {len(cards)}")
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
    """Packs of a hand that is on the table already, and later ones from another source (for `sample_game`)."""

    __slots__ = ("_dealt", "_hand", "_later")
    finite = False

    def __init__(self, hand: int, dealt: tuple[tuple[int, ...], ...], later: PackSource) -> None:
        self._hand = hand
        self._dealt = dealt
        self._later = later

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """The pack that lies on the table, or one from the later source; see `PackSource`."""
        if hand == self._hand and shuffle < len(self._dealt):
            return self._dealt[shuffle]
        return self._later.shuffled(hand, shuffle, pack, cards)
