"""The values of an EGN file, as `fields` reads them.

Cards are in our notation (`9d`), with an `x` for unknown parts.
"""

from __future__ import annotations

from dataclasses import dataclass

FILE_TYPE, MATCH_FILE_TYPE = "Euchre Game Notation", "Euchre Match Notation"
VERSION = "1.4"
SEATS = 4
MOST_DEALS = 100
RANKS, SUITS = "9TJQKA", "shdc"
JOKER, JOKER_IN_EGN = "X1", "B"
NO_TRUMP, NO_TRUMP_IN_EGN = "nt", "n"
WENT_UNDER = 3
"""The number of cards that a seat takes from the kitty."""

PASS, ORDER = "Pass", "Order"

ELDEST_LEADS, LEFT_OF_LONER_LEADS = "LEFT_OF_DEALER", "LEFT_OF_LONER"


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Those rules of a game that our euchre has. `target` or `deals` is 0 if it does not end the game."""

    stick_dealer: bool = True
    target: int = 10
    deals: int = 0
    canadian: bool = False
    loner_lead: str = ELDEST_LEADS
    loner_march: int = 4
    loner_euchred: int = 2
    defend_alone: bool = False
    joker: bool = False
    no_trump: bool = False
    partners_best: bool = False
    go_under: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """Cards that the seat `receiver` got from its partner `sender`, or from the kitty if `sender` is None."""

    sender: int | None
    receiver: int
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Deal:
    """One deal. `hands` are by seat, with () for a missing one. `tricks` is None if the file leaves out the play."""

    number: int
    dealer: int
    upcard: str
    hands: tuple[tuple[str, ...], ...]
    calls: tuple[str, ...] | None
    is_alone: bool
    lone_defender: int | None
    discard: str | None
    exchanges: tuple[Exchange, ...]
    tricks: tuple[tuple[str, ...], ...] | None


@dataclass(frozen=True, slots=True)
class EgnGame:
    """A whole file. `final` is None if the file leaves it out."""

    version: str
    title: str
    game_id: str
    players: tuple[str, ...]
    initial: tuple[int, int]
    final: tuple[int, int] | None
    rules: Ruleset
    deals: tuple[Deal, ...]
    comments: int
    lines: int


def is_known(card: str) -> bool:
    """Return whether a card is one of the 24, or the joker."""
    return card == JOKER or (len(card) == 2 and card[0] in RANKS and card[1] in SUITS)
