"""An OpenSpiel solver that learns two-handed with few information states: similar hands share one.

Two-handed has far too many information states for a table. Here only the kind of a card matters: a bower, a high or a
low trump, an ace, another picture, or a small card. `key_of` turns the text of an information state into a key made of
these kinds, and the solver's table uses these keys.
"""

from __future__ import annotations

from typing import Any

from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver

Key = tuple[object, ...]

MATES = {"s": "c", "c": "s", "h": "d", "d": "h"}
"""The other suit of the same colour."""

WORTH = {"bower": 3, "high": 2, "low": 1, "ace": 1, "picture": 0, "small": 0}
"""The value that each kind of card adds to a hand in the bidding."""


def suit_of(card: str, trump: str) -> str:
    """Return the suit that a card belongs to: the left bower is a trump."""
    return trump if card == f"J{MATES[trump]}" else card[1]


def kind_of(card: str, trump: str) -> str:
    """Return the kind of a card: a key of WORTH."""
    if suit_of(card, trump) == trump:
        return "bower" if card[0] == "J" else "high" if card[0] in "AKQ" else "low"
    return "ace" if card[0] == "A" else "picture" if card[0] in "KQ" else "small"


def worth(hand: list[str], trump: str) -> int:
    """Return the value of a hand if `trump` becomes trump."""
    return sum(WORTH[kind_of(card, trump)] for card in hand)


def key_of(text: str) -> Key:
    """Return the key of an information state. Equal keys have the same number of legal actions, in the same order.

    text: as `information_state` writes it, such as "seat 0: hand 0 dealer 1 scores 0 0; dealt …; upcard Ts up;
    holds As …; 0 pass; order up 1".
    """
    parts = text.split("; ")
    seat, dealer = parts[0].split()[1].rstrip(":"), parts[0].split()[5]
    facts = {part.split()[0]: part.split()[1:] for part in parts[1:-1]}
    hand, upcard = facts["holds"], facts["upcard"][0]
    history = [] if parts[-2].startswith("holds") else [event.split()[1:] for event in parts[-2].split(", ")]
    stage = parts[-1].rsplit(" ", 1)[0]
    if stage == "order up":
        return stage, seat == dealer, worth([*hand, upcard] if seat == dealer else hand, upcard[1])
    if stage == "name trump":
        return stage, seat == dealer, *(worth(hand, suit) // 2 for suit in "shdc" if suit != upcard[1])
    trump = next((words[1] for words in history if words[0] == "call"), upcard[1])
    kinds = [kind_of(card, trump) for card in hand]
    if stage == "discard":
        return stage, *kinds
    played = [words[1] for words in history if words[0] == "play"]
    if len(played) % 2 == 0:
        return stage, *kinds
    led = played[-1]
    follow = [suit_of(card, trump) == suit_of(led, trump) for card in hand]
    return stage, kind_of(led, trump), *zip(kinds, follow, strict=True)


class CoarseSolver(ExternalSamplingSolver):  # type: ignore[misc]  # OpenSpiel has no types
    """External-sampling MCCFR whose table uses `key_of`. `done` is the number of iterations so far."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.done = 0

    def iteration(self) -> None:
        """Traverse all actions of each player once, with one deal per player."""
        super().iteration()
        self.done += 1

    def _lookup_infostate_info(self, info_state_key: str, num_legal_actions: int) -> Any:
        return super()._lookup_infostate_info(key_of(info_state_key), num_legal_actions)

    def _add_regret(self, info_state_key: str, action_idx: int, amount: float) -> None:
        super()._add_regret(key_of(info_state_key), action_idx, amount)

    def _add_avstrat(self, info_state_key: str, action_idx: int, amount: float) -> None:
        super()._add_avstrat(key_of(info_state_key), action_idx, amount)

    @property
    def size(self) -> int:
        """The number of keys met so far."""
        return len(self._infostates)

    def average(self, text: str) -> list[float] | None:
        """Return the average policy's probability of each legal action, in order; None in a state never met."""
        found = self._infostates.get(key_of(text))
        return None if found is None else [float(share) for share in found[1] / found[1].sum()]
