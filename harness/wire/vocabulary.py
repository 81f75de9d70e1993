"""The words of NOTATION.md and the numbers that stand for them in the protocol's enums, both ways.

One table for each enum. `Words.number` raises WireError for a word that the protocol does not know; `Words.word` reads
an unknown number as the unspecified one (PROTOCOL.md rule 9).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.v1 import action_pb2, table_pb2, view_pb2


class WireError(ValueError):
    """A value has no form on the wire, or a message has no meaning. One sentence for people."""


class Words:
    """One enum: its word <-> its number. The empty word is the unspecified value."""

    def __init__(self, what: str, numbers: Mapping[str, int]) -> None:
        """`what` names the enum in errors."""
        self._what = what
        self._numbers = {"": 0, **numbers}
        self._words = {number: word for word, number in self._numbers.items()}

    def number(self, word: str) -> int:
        """The enum's number of a word."""
        try:
            return self._numbers[word]
        except KeyError:
            known = ", ".join(repr(name) for name in self._numbers)
            raise WireError(f"the protocol has no {self._what} {word!r}; it knows {known}") from None

    def word(self, number: int) -> str:
        """The word of an enum's number."""
        return self._words.get(number, "")

    def __iter__(self) -> Iterator[str]:
        """The words, the empty one left out."""
        return (word for word in self._numbers if word)


def _by_name(names: Mapping[str, int], prefix: str) -> dict[str, int]:
    """Enum values whose names are the words themselves in upper case."""
    words = {name.removeprefix(prefix): number for name, number in names.items()}
    return {word.lower(): number for word, number in words.items() if number}


SUITS = Words(
    "suit",
    {
        "s": action_pb2.SUIT_SPADES,
        "h": action_pb2.SUIT_HEARTS,
        "d": action_pb2.SUIT_DIAMONDS,
        "c": action_pb2.SUIT_CLUBS,
        "nt": action_pb2.SUIT_NO_TRUMP,
    },
)
HOWS = Words("how", _by_name(dict(action_pb2.How.items()), "HOW_"))
KINDS = Words("kind of action", _by_name(dict(action_pb2.ActionKind.items()), "ACTION_KIND_"))
PLACES = Words("place of the upcard", _by_name(dict(view_pb2.UpcardPlace.items()), "UPCARD_PLACE_"))
MEMORIES = Words("kind of memory", _by_name(dict(view_pb2.MemoryKind.items()), "MEMORY_KIND_"))
POLICIES = Words("fault policy", _by_name(dict(table_pb2.FaultPolicy.items()), "FAULT_POLICY_"))
FAULTS = Words(
    "kind of fault", {word.upper(): n for word, n in _by_name(dict(table_pb2.FaultKind.items()), "FAULT_KIND_").items()}
)
