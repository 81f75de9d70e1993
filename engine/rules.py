"""What a variant declares.

`Variant` is a page of the rule book: name, options, explanation. `Rules` is that page with every option settled, and
the parameters that follow from it tabled; a game holds one and reads no option itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from textwrap import fill, indent
from typing import TYPE_CHECKING, Literal, Protocol

from engine.cards import Pack
from engine.deal import Plan, plans
from engine.errors import InvalidOption
from engine.options import AtLeast, Option, Options, OptionValue, resolve, switch
from engine.state import ring

if TYPE_CHECKING:
    from engine.game import Game
    from engine.phases.base import Phase
    from engine.results import Verdict
    from engine.state import State
    from engine.trumps import Order
    from engine.views import SeatView

Score = Callable[["State"], tuple[int, ...]]
"""From a hand that was not thrown in to each seat's change of score (a team's points at each of its seats)."""

Teams = tuple[tuple[int, ...], ...]

TWO_TEAMS_OF_TWO: Teams = ((0, 2), (1, 3))
TWO_TEAMS_OF_THREE: Teams = ((0, 2, 4), (1, 3, 5))


class End(Protocol):
    """The end of a game, tested after every hand (A14)."""

    @property
    def counts_games(self) -> bool:
        """Whether games are credited (B4)."""

    def settle(self, h: State) -> Verdict | None:
        """How the game ended with this hand, or None. `h.scores` has the hand in it; B4 may carry it over to games."""


class Recall:
    """What a view tells about its hand's deal, where it is more than own cards and upcard; for `engine.shadow`.

    A variant that shows other cards of the pack (straw men, a turned kitty card), or books points during a hand, has
    a subclass.
    """

    def places(self, view: SeatView, plan: Plan) -> Iterable[tuple[int, str]]:
        """Places of the pack (from 0) whose card this seat knows, besides the upcard's and its own hand's."""
        return ()

    def scores(self, view: SeatView) -> tuple[int, ...]:
        """Scores when the hand was dealt."""
        return view.scores

    def redealt(self, view: SeatView, game: Game) -> None:
        """Put back, into a game just dealt, what is public of earlier deals of this hand (V11.5.2)."""


@dataclass(frozen=True, slots=True)
class Rules:
    """A variant with every option settled.

    Attributes:
        players: number of seats.
        pack: the cards.
        deal: how they are dealt, as `engine.deal` reads it.
        phases: the procedures of a hand in order.
        score: points of a hand.
        end: end of the game.
        start: every seat's score at the beginning.
        teams: fixed sides, or None where each is for himself.
        better: whether more or fewer points are better.
        each: piles that every seat has one of (`engine.deal`).
        carry: what a finished hand leaves for the next one apart from scores (B5), or None.
        drops: whether consecutive drops are counted (B5).
        recall: what a view tells about the deal and the scores at its time beyond the usual (`Recall`).
        max_hands, seats, ring, rounds, sides, plans, no_order: what follows from these, once for all games: the hand
            limit; all seats in order; by seat the next one while all are active; by seat all seats clockwise from it;
            by seat the number of its side as a hand begins; by dealer where each place of the pack goes; and what
            stands in a hand's `order` before trump is fixed, never read.
    """

    variant: str
    options: Options
    players: int
    pack: Pack
    deal: str
    phases: tuple[Phase, ...]
    score: Score
    end: End
    start: int = 0
    teams: Teams | None = None
    better: Literal["high", "low"] = "high"
    each: tuple[str, ...] = ()
    carry: Callable[[State], None] | None = None
    drops: bool = False
    recall: Recall = field(default_factory=Recall)
    max_hands: int = field(init=False)
    seats: tuple[int, ...] = field(init=False)
    ring: tuple[int, ...] = field(init=False)
    rounds: tuple[tuple[int, ...], ...] = field(init=False)
    sides: tuple[int, ...] = field(init=False)
    plans: tuple[Plan, ...] = field(init=False)
    no_order: Order = field(init=False)

    def __post_init__(self) -> None:
        seats = tuple(range(self.players))
        derived = {
            "max_hands": self.options.int("max_hands"),
            "seats": seats,
            "ring": ring(self.players, seats),
            "rounds": tuple(seats[seat:] + seats[:seat] for seat in seats),
            "sides": seats if self.teams is None else tuple(map(self._team_of, seats)),
            "plans": plans(self.deal, self.players, each=self.each),
            "no_order": self.pack.order("s"),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def _team_of(self, seat: int) -> int:
        assert self.teams is not None
        return next(k for k, team in enumerate(self.teams) if seat in team)

    def __reduce__(self) -> tuple[Callable[[str, Options], Rules], tuple[str, Options]]:
        return _rules_again, (self.variant, self.options)


def _rules_again(variant: str, options: Options) -> Rules:
    from engine.variants import rules_of

    return rules_of(variant).rules(options)


_WIDTH = 112
"""Columns of the help of an option in a described page."""

COMMON_OPTIONS = {
    "reveal_at_end": switch("who studies a hand from one seat sees all cards after its scoring; not the players (A9)"),
    "max_hands": Option(0, AtLeast(0), "stop after this many hands, standings by score; 0: no limit (A15)"),
}
"""The options that every variant has."""

OptionRule = Callable[[str, dict[str, OptionValue], Mapping[str, object]], None]
"""Given a variant's name, its settled options and what was asked for: completes defaults that depend on others, or
refuses combinations that the rules exclude."""


@dataclass(frozen=True, eq=False)
class Variant:
    """One variant's page.

    Attributes:
        name: its id in RULES.md.
        section: "V1" and so on; also the order in lists.
        title: its name for people.
        page: how it is played, for `describe`.
        declare: from settled options to `Rules`.
        own_options: the options of its page; `COMMON_OPTIONS` are added to every variant.
        check: settles defaults that depend on other options and refuses combinations that the rules exclude.
    """

    name: str
    section: str
    title: str
    page: str
    declare: Callable[[Options], Rules]
    own_options: Mapping[str, Option]
    check: OptionRule | None = None

    @cached_property
    def options(self) -> dict[str, Option]:
        """Every option by name: default, allowed values, help."""
        return {**self.own_options, **COMMON_OPTIONS}

    def resolve(self, given: Mapping[str, object] | None = None) -> dict[str, OptionValue]:
        """Every option with the value given or its default; raises InvalidOption."""
        given = given or {}
        values = resolve(self.name, self.options, given)
        if self.check is not None:
            self.check(self.name, values, given)
        return values

    def rules(self, options: Mapping[str, object] | None = None) -> Rules:
        """The rules under these options; raises InvalidOption."""
        if isinstance(options, Options):
            return _declared(self, options)
        return _declared(self, Options(self.resolve(options)))

    def seats(self, options: Mapping[str, object] | None = None) -> int:
        """Number of seats under these options."""
        return self.rules(options).players

    def teams(self, options: Mapping[str, object] | None = None) -> Teams | None:
        """Sides that are fixed for the whole game, or None where each is for himself."""
        return self.rules(options).teams

    @cached_property
    def better(self) -> Literal["high", "low"]:
        """Whether more or fewer points are better."""
        return self.rules().better

    @property
    def describe(self) -> str:
        """All that one needs to play it: the page and the options."""
        lines = [f"{self.name}: {self.title} (RULES.md {self.section})", "", self.page.strip(), "", "Options"]
        for name, option in self.options.items():
            default = str(option.default).lower() if isinstance(option.default, bool) else option.default
            lines.append(f"  {name} = {default}  ({option.allowed})")
            lines.append(indent(fill(option.help, _WIDTH), "      "))
        return "\n".join(lines) + "\n"


@lru_cache(maxsize=512)
def _declared(variant: Variant, options: Options) -> Rules:
    """The declaration, made once for each setting of the options."""
    return variant.declare(options)


def refuse(variant: str, sentence: str) -> InvalidOption:
    """The error for a combination of options that the rules exclude."""
    return InvalidOption(f"options of {variant}: {sentence}")
