"""The protocol's enums: each word of notation.md with its number on the wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bowerbird.harness.wire import WireError
from bowerbird.seat.v1 import action_pb2, table_pb2, view_pb2


class WireEnum:
    """A two-way table of one enum's words and numbers. Without a word, the caller leaves the field unset.

    An unknown word is an error of the sender, but an unknown number comes from a later version and is read as ""
    (seat.proto, rule 8).
    """

    def __init__(self, title: str, numbers: Mapping[str, int]) -> None:
        """Build the table from `numbers` by word. `title` names the enum in error messages."""
        self._title = title
        self._numbers = dict(numbers)
        self._words = {number: word for word, number in self._numbers.items()}

    def number(self, word: str) -> int:
        """Return the number of `word`. Raises WireError for a word that is not in the protocol."""
        try:
            return self._numbers[word]
        except KeyError:
            known = ", ".join(repr(name) for name in self._numbers)
            raise WireError(f"the protocol has no {self._title} {word!r}; it knows {known}") from None

    def word(self, number: int) -> str:
        """Return the word of `number`, or "" for an unknown number."""
        return self._words.get(number, "")

    def __iter__(self) -> Iterator[str]:
        """Iterate over the words."""
        return iter(self._numbers)


def _by_name(names: Mapping[str, int], prefix: str, empty: str = "") -> dict[str, int]:
    """Map each value's name, in lower case with blanks and without `prefix`, to its number. UNSPECIFIED is left out.

    The value named `empty` stands for the engine's empty word.
    """
    words = {name.removeprefix(prefix): number for name, number in names.items()}
    return {"" if word == empty else word.lower().replace("_", " "): number for word, number in words.items() if number}


SUITS = WireEnum(
    "suit",
    {
        "": action_pb2.SUIT_NONE,
        "s": action_pb2.SUIT_SPADES,
        "h": action_pb2.SUIT_HEARTS,
        "d": action_pb2.SUIT_DIAMONDS,
        "c": action_pb2.SUIT_CLUBS,
        "nt": action_pb2.SUIT_NO_TRUMP,
        "low": action_pb2.SUIT_LOW,
    },
)
HOWS = WireEnum("how", _by_name(dict(action_pb2.How.items()), "HOW_", "NORMAL"))
ACTION_KINDS = WireEnum("kind of action", _by_name(dict(action_pb2.ActionKind.items()), "ACTION_KIND_"))
UPCARD_PLACES = WireEnum("place of the upcard", _by_name(dict(view_pb2.UpcardPlace.items()), "UPCARD_PLACE_", "NONE"))
MEMORY_KINDS = WireEnum("kind of memory", _by_name(dict(view_pb2.MemoryKind.items()), "MEMORY_KIND_"))
STAGES = WireEnum("stage", _by_name(dict(view_pb2.Stage.items()), "STAGE_", "HIDDEN"))
HAND_ENDINGS = WireEnum("ending of a hand", _by_name(dict(table_pb2.HandEnding.items()), "HAND_ENDING_"))
GAME_ENDINGS = WireEnum("ending of a game", _by_name(dict(table_pb2.GameEnding.items()), "GAME_ENDING_"))
SCORE_ORDERS = WireEnum("order of scores", _by_name(dict(table_pb2.ScoreOrder.items()), "SCORE_ORDER_"))
FAULT_POLICIES = WireEnum("fault policy", _by_name(dict(table_pb2.FaultPolicy.items()), "FAULT_POLICY_"))
FAULT_KINDS = WireEnum(
    "kind of fault",
    {name.removeprefix("FAULT_KIND_"): number for name, number in table_pb2.FaultKind.items() if number},
)
