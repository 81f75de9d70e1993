"""Actions and their notation (notation.md, Decisions).

A decision is written as a token such as `order alone` or `discard 9c`. Each token has exactly one `Action` object
(interned), so actions are compared and hashed by identity. The grammar is finite, and so is the number of objects.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from bowerbird.engine.errors import IllegalAction

SUITS = ("s", "h", "d", "c")
"""Suits in canonical order."""

RANKS = "AKQJT98765432"
"""Ranks in canonical order: from the highest to the lowest in a plain suit."""

TRUMPS = (*SUITS, "nt")
"""The possible trumps in canonical order; `nt` is no trump."""

LOW = "low"
"""No trump, but the lowest card wins (B8). It follows `nt` in canonical order; few variants have it."""

HOWS = ("", "alone", "jambone")
"""The ways in which a maker can play, in canonical order; "" means with partners."""

MAX_SEATS = 10

_CARD = r"(?P<card>[AKQJT98765432][shdc]|X[123rb])"
_TRUMP = r"(?P<suit>[shdc]|nt|low)"
_HOW = r"(?: (?P<how>alone|jambone))?"
_GRAMMAR = (
    r"(?P<kind>pass|alone|decline|swap|keep|take|defend|claim|stay|drop|discard|give)",
    rf"(?P<kind>order){_HOW}",
    rf"(?P<kind>call) {_TRUMP}{_HOW}",
    rf"(?P<kind>bid) (?P<number>[1-9][0-9]?)(?: {_TRUMP})?",
    rf"(?P<kind>lone) (?P<number>[0-3])(?: {_TRUMP})?",
    rf"(?P<kind>discard|give|dictate|play|show) {_CARD}",
    r"(?P<kind>exchange) (?P<number>[0-9])",
    r"(?P<kind>ask|partner|lead) (?P<seat>[0-9])",
)
_TOKEN = tuple(re.compile(rule) for rule in _GRAMMAR)

KINDS = (
    *("pass", "order", "call", "bid", "lone", "discard", "swap", "keep", "show", "take", "alone", "exchange", "defend"),
    "ask",
    *("decline", "give", "claim", "dictate", "stay", "drop", "partner", "lead", "play"),
)
"""Kinds of actions in canonical order (notation.md, Order of legal actions)."""

_NAMED = (*TRUMPS, LOW)

PRIVATE_CARD = frozenset({"discard", "give"})
"""Kinds of actions whose card only the actor may know (and the receiver of a gift) (A9, A10, B3)."""


class Event(NamedTuple):
    """One decision in its public form: the seat, and the action as everyone sees it."""

    seat: int
    action: Action


class Action:
    """A decision: its token and the parts of the token, parsed once.

    >>> Action("order alone").how, Action("discard 9c").card
    ('alone', '9c')
    >>> Action("discard 9c").public, Action("play 9c").public
    (Action('discard'), Action('play 9c'))
    >>> Action("play 9c") is Action("play 9c")
    True

    `kind` is the token's first word. If absent, `card`, `suit` and `how` are "", and `number` and `seat` are None.
    `public` is the action as the others see it: `discard 9c` is `discard` to them (A9). Three tuples have one item for
    each seat that may make the action: `events` contains the event that the others see, `in_trick` the item that the
    card adds to a trick, and `lines` the line of a record (notation.md, Record of a game).
    """

    __slots__ = ("card", "events", "how", "in_trick", "kind", "lines", "number", "public", "seat", "suit", "token")

    token: str
    kind: str
    card: str
    number: int | None
    suit: str
    how: str
    seat: int | None
    public: Action
    events: tuple[Event, ...]
    in_trick: tuple[tuple[tuple[int, str]], ...]
    lines: tuple[str, ...]

    def __new__(cls, token: str) -> Action:
        """Return the action written `token`.

        Raises:
            IllegalAction: there is no such token (notation.md, Decisions).
        """
        found = _ACTIONS.get(token)
        return found if found is not None else _ACTIONS.setdefault(token, _read(token))

    @staticmethod
    def parse(token: str) -> Action:
        """Return the action written `token`; raise IllegalAction if there is no such token."""
        return Action(token)

    def __str__(self) -> str:
        return self.token

    def __repr__(self) -> str:
        return f"Action({self.token!r})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{self!r} is shared and cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{self!r} is shared and cannot be changed")

    def __copy__(self) -> Action:
        return self

    def __deepcopy__(self, memo: object) -> Action:
        return self

    def __reduce__(self) -> tuple[type[Action], tuple[str]]:
        return Action, (self.token,)


_ACTIONS: dict[str, Action] = {}


def _read(token: str) -> Action:
    for rule in _TOKEN:
        match = rule.fullmatch(token)
        if match:
            break
    else:
        raise IllegalAction(f'"{token}" is not an action; actions are written like "pass", "order alone" or "play As"')
    parts = match.groupdict()
    action = object.__new__(Action)
    number, seat, card = parts.get("number"), parts.get("seat"), parts.get("card") or ""
    public = Action(parts["kind"]) if parts["kind"] in PRIVATE_CARD and card else action
    values = {
        "token": token,
        "kind": parts["kind"],
        "card": card,
        "number": None if number is None else int(number),
        "suit": parts.get("suit") or "",
        "how": parts.get("how") or "",
        "seat": None if seat is None else int(seat),
        "public": public,
        "lines": tuple(f"{player} {token}" for player in range(MAX_SEATS)),
        "in_trick": tuple(((player, card),) for player in range(MAX_SEATS)),
        "events": tuple(Event(player, public) for player in range(MAX_SEATS)),
    }
    for name, value in values.items():
        object.__setattr__(action, name, value)
    return action


def canonical_place(action: Action) -> tuple[int, ...]:
    """Return the sort key of the canonical order without the card, because the card's place depends on the pack."""
    return (
        KINDS.index(action.kind),
        action.number or 0,
        _NAMED.index(action.suit) if action.suit else -1,
        HOWS.index(action.how),
        -1 if action.seat is None else action.seat,
    )
