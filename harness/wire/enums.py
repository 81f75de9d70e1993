"""The protocol's enums: each word of NOTATION.md beside its number on the wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bowerbird.seat.v1 import action_pb2, table_pb2, view_pb2
from harness.wire import WireError


class WireEnum:
    """A two-way table of one enum's words and numbers. The empty word is the UNSPECIFIED value 0.

    The two directions treat the unknown differently: an unknown word is an error of the sender; an unknown number
    comes from a later version and reads as unspecified (PROTOCOL.md rule 9).
    """

    def __init__(self, title: str, numbers: Mapping[str, int]) -> None:
        """Build the table from `numbers` by word. `title` names the enum in error messages."""
        self._title = title
        self._numbers = {"": 0, **numbers}
        self._words = {number: word for word, number in self._numbers.items()}

    def number(self, word: str) -> int:
        """Return the number of `word`. Raises WireError for a word that the protocol does not have."""
        try:
            return self._numbers[word]
        except KeyError:
            known = ", ".join(repr(name) for name in self._numbers)
            raise WireError(f"the protocol has no {self._title} {word!r}; it knows {known}") from None

    def word(self, number: int) -> str:
        """Return the word of `number`, or "" for an unknown number."""
        return self._words.get(number, "")

    def __iter__(self) -> Iterator[str]:
        """Iterate over the words without the empty one."""
        return (word for word in self._numbers if word)


def _by_name(names: Mapping[str, int], prefix: str) -> dict[str, int]:
    """Map each value's name, without `prefix` and in lower case, to its number. UNSPECIFIED is left out."""
    words = {name.removeprefix(prefix): number for name, number in names.items()}
    return {word.lower(): number for word, number in words.items() if number}


SUITS = WireEnum(
    "suit",
    {
        "s": action_pb2.SUIT_SPADES,
        "h": action_pb2.SUIT_HEARTS,
        "d": action_pb2.SUIT_DIAMONDS,
        "c": action_pb2.SUIT_CLUBS,
        "nt": action_pb2.SUIT_NO_TRUMP,
    },
)
HOWS = WireEnum("how", _by_name(dict(action_pb2.How.items()), "HOW_"))
ACTION_KINDS = WireEnum("kind of action", _by_name(dict(action_pb2.ActionKind.items()), "ACTION_KIND_"))
UPCARD_PLACES = WireEnum("place of the upcard", _by_name(dict(view_pb2.UpcardPlace.items()), "UPCARD_PLACE_"))
MEMORY_KINDS = WireEnum("kind of memory", _by_name(dict(view_pb2.MemoryKind.items()), "MEMORY_KIND_"))
FAULT_POLICIES = WireEnum("fault policy", _by_name(dict(table_pb2.FaultPolicy.items()), "FAULT_POLICY_"))
FAULT_KINDS = WireEnum(
    "kind of fault", {word.upper(): n for word, n in _by_name(dict(table_pb2.FaultKind.items()), "FAULT_KIND_").items()}
)
