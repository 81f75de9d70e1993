"""The declaration of a variant.

`Variant` is a page of the rule book: name, options, explanation. `Rules` is that page with every option resolved, and
with tables of the parameters that follow from them. A game has one `Rules` and does not read options itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from textwrap import fill
from typing import Literal, Protocol

from bowerbird.engine.actions import Action, canonical_place
from bowerbird.engine.cards.deal import DealPlan
from bowerbird.engine.errors import InvalidOption
from bowerbird.engine.options import AtLeast, Option, Options, OptionValue, added, resolve, switch
from bowerbird.engine.page_text import WIDTH, laid_out
from bowerbird.engine.phases.base import Phase
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.results import JAMBOREE, Verdict
from bowerbird.engine.state import Setup, State, Teams
from bowerbird.engine.views import SeatView

Score = Callable[[State], tuple[int, ...]]
"""A function that returns each seat's change of score for a hand that was not thrown in; teammates score the same."""

TWO_TEAMS_OF_TWO: Teams = ((0, 2), (1, 3))
TWO_TEAMS_OF_THREE: Teams = ((0, 2, 4), (1, 3, 5))


class End(Protocol):
    """The end of a game, checked after every hand (A14)."""

    @property
    def counts_games(self) -> bool:
        """Whether this end counts games won (B4)."""

    def settle(self, h: State) -> Verdict | None:
        """Return the verdict if the game ended with this hand, otherwise None.

        `h.scores` includes the hand. Under B4 this can change `h.games` and `h.scores`, to credit games and carry
        points over.
        """


class Recall:
    """Facts about the deal that a view shows besides its own cards and the upcard, for `bowerbird.engine.sampling`.

    A variant that shows other cards of the pack (straw men, a turned kitty card) or scores points during a hand needs a
    subclass.
    """

    def places(self, view: SeatView, plan: DealPlan) -> Iterable[tuple[int, str]]:
        """Return (place in the pack from 0, card) for each card that the seat knows besides the upcard and its own
        hand.
        """
        return ()

    def scores(self, view: SeatView) -> tuple[int, ...]:
        """Return the scores, by seat, when the hand was dealt."""
        return view.scores

    def lapped(self, view: SeatView) -> tuple[int, ...]:
        """Return the points that a lap brought into the game, by seat (`State.lapped`)."""
        return ()

    def redealt(self, view: SeatView, h: State) -> None:
        """In a hand that has just been dealt, restore the public facts of its earlier deals (V11.5.2)."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Rules(Setup):
    """A variant with every option resolved; see `Setup` for seats, pack and deal.

    Attributes:
        phases: the procedures of a hand in order.
        score: points of a hand.
        end: end of the game.
        start: score of every seat at the beginning.
        better: "high" if more points are better, "low" if fewer are.
        recall: facts about the deal that a view shows besides its own cards and the upcard (`Recall`).

    Derived from these:
        max_hands: the hand limit, 0 for none (A15).
        counts_drops: whether a phase needs the number of consecutive drops of each seat (B5).
        tricks: number of tricks in a hand that is played to the end; a showdown (V11.5.8) adds more.
        most_tricks: number of tricks of the longest hand, including a showdown's.
        asks_in_private: whether a phase asks a seat without the other seats knowing (`Phase.private`).
    """

    phases: tuple[Phase, ...]
    score: Score
    end: End
    start: int = 0
    better: Literal["high", "low"] = "high"
    recall: Recall = field(default_factory=Recall)
    max_hands: int = field(init=False)
    tricks: int = field(init=False)
    most_tricks: int = field(init=False)
    counts_drops: bool = field(init=False)
    asks_in_private: bool = field(init=False)

    def __repr__(self) -> str:
        return f"<Rules of {self.variant}: {self.players} seats, {self.pack.size} cards, {dict(self.options)}>"

    def __post_init__(self) -> None:
        Setup.__post_init__(self)
        object.__setattr__(self, "max_hands", self.options.int("max_hands"))
        tricks = [phase.number for phase in self.phases if isinstance(phase, Tricks)]
        object.__setattr__(self, "tricks", tricks[0])
        object.__setattr__(self, "most_tricks", max(tricks))
        object.__setattr__(self, "counts_drops", any(phase.counts_drops for phase in self.phases))
        object.__setattr__(self, "asks_in_private", any(phase.private for phase in self.phases))

    def every_action(self) -> tuple[Action, ...]:
        """Return every action that a game can offer, in the canonical order of legal actions (notation.md).

        >>> from bowerbird.engine import rules_of
        >>> [str(action) for action in rules_of("two-handed").rules().every_action()[:7]]
        ['pass', 'order', 'call s', 'call h', 'call d', 'call c', 'discard As']
        """
        place = {code: place for place, code in reversed(list(enumerate(self.pack.codes)))}
        return tuple(
            sorted(
                {action for phase in self.phases for action in phase.actions(self)},
                key=lambda action: (*canonical_place(action), place.get(action.card, -1)),
            )
        )

    def stages(self) -> tuple[str, ...]:
        """Return the names of all questions in a hand, in the order of its phases, without duplicates."""
        return tuple(dict.fromkeys(phase.stage for phase in self.phases if phase.stage))

    def facts(self) -> frozenset[str]:
        """Return the facts that a hand can have beyond those of every hand: fields of a view and kinds of `Memory`."""
        found = {fact for phase in self.phases for fact in phase.facts}
        dealt = {"upcard"} if self.plans[0].upcard is not None else set()
        ways = {"how"} if any(action.how or action.kind == "lone" for action in self.every_action()) else set()
        counted = {"games"} if self.end.counts_games else set()
        return frozenset(found | dealt | ways | counted | ({"drops"} if self.counts_drops else set()))


_HOW_TO_READ = """\
This page describes the game with the default options, which are listed at the
end. The exact rules: bowerbird docs rules {section}. Marks such as B4 or E19 name
other sections of the rules."""

_HELP = " " * 6
"""Indentation of an option's help."""

COMMON_OPTIONS = {
    "reveal_at_end": added(switch("show all cards of a scored hand to readers of the record, not to the players (A9)")),
    "max_hands": Option(0, AtLeast(0), "the game ends after this many hands, and the score decides; 0: no limit (A15)"),
}
"""The options that every variant has."""

OptionRule = Callable[[str, dict[str, OptionValue], Mapping[str, object]], None]
"""A function of a variant's name, its resolved options and the given options.

It sets defaults that depend on other options and rejects combinations that the rules exclude.
"""


@dataclass(frozen=True, eq=False, repr=False)
class Variant:
    """The page of one variant.

    >>> rules_of("euchre"), rules_of("buck").better
    (<Variant euchre: North American Euchre, V1>, 'low')
    >>> rules_of("euchre").teams(), rules_of("buck").teams()
    (((0, 2), (1, 3)), None)

    Attributes:
        name: its id in rules.md.
        section: "V1" and so on; also the order in lists.
        title: its name for people.
        page: its explanation, for `describe`, which fills its paragraphs (`engine.page_text`). `{target}` stands for
            the default of that option, `{JAMBOREE}` for the points of a Jamboree.
        declare: a function from resolved options to `Rules`.
        own_options: the options of its page. `COMMON_OPTIONS` are added to every variant.
        also: other common names, in upper or lower case, without the id and the title.
        check: sets defaults that depend on other options and rejects combinations that the rules exclude.
    """

    name: str
    section: str
    title: str
    page: str
    declare: Callable[[Options], Rules]
    own_options: Mapping[str, Option]
    check: OptionRule | None = None
    also: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Variant {self.name}: {self.title}, {self.section}>"

    @cached_property
    def options(self) -> dict[str, Option]:
        """Every option by name: default, allowed values, help."""
        return {**self.own_options, **COMMON_OPTIONS}

    def resolve(self, given: Mapping[str, object] | None = None) -> dict[str, OptionValue]:
        """Return every option with its given value or its default; raise InvalidOption for a bad name or value."""
        given = given or {}
        values = resolve(self.name, self.options, given)
        if self.check is not None:
            self.check(self.name, values, given)
        return values

    def rules(self, options: Mapping[str, object] | None = None) -> Rules:
        """Return the rules under `options`; raise InvalidOption for a bad name or value."""
        if isinstance(options, Options):
            return _declared(self, options)
        given = options or {}
        kinds = tuple(map(type, given.values()))
        if _PLAIN.issuperset(kinds):
            return _resolved(self, tuple(given.items()), kinds)
        return _declared(self, Options(self.resolve(given)))

    def seats(self, options: Mapping[str, object] | None = None) -> int:
        """Return the number of seats under `options`."""
        return self.rules(options).players

    def cards(self, options: Mapping[str, object] | None = None) -> int:
        """Return the number of cards in the pack under `options`."""
        return len(self.rules(options).pack.codes)

    def teams(self, options: Mapping[str, object] | None = None) -> Teams | None:
        """Return the sides that are fixed for the whole game, or None if each seat plays alone."""
        return self.rules(options).teams

    @cached_property
    def better(self) -> Literal["high", "low"]:
        """The better direction of scores: "high" or "low"."""
        return self.rules().better

    @property
    def describe(self) -> str:
        """The page and the options, as 80-column text for players."""
        defaults = {name: option.default for name, option in self.options.items()}
        page = laid_out(self.page.strip().format(JAMBOREE=JAMBOREE, **defaults))
        lines = [f"{self.name}: {self.title}", "", _HOW_TO_READ.format(section=self.section), "", page, "", "Options"]
        for name, option in self.options.items():
            default = str(option.default).lower() if isinstance(option.default, bool) else option.default
            lines.append(f"  {name} = {default}  ({option.allowed})")
            lines.append(fill(option.help, WIDTH, initial_indent=_HELP, subsequent_indent=_HELP))
        return "\n".join(lines) + "\n"


_PLAIN = frozenset({bool, int, str})
"""The types of option values for which resolved rules are cached."""


@lru_cache(maxsize=512)
def _resolved(variant: Variant, given: tuple[tuple[str, object], ...], kinds: tuple[type, ...]) -> Rules:
    """Return the rules of `variant` under the options `given`.

    `kinds` are the types of the values, because 1 equals true but is a different value.
    """
    return _declared(variant, Options(variant.resolve(dict(given))))


@lru_cache(maxsize=512)
def _declared(variant: Variant, options: Options) -> Rules:
    """Return the rules of `variant` under `options`, created once for each set of options."""
    return variant.declare(options)


def refuse(variant: str, sentence: str) -> InvalidOption:
    """Return the error for a combination of options that `variant` does not allow; `sentence` says why."""
    return InvalidOption(f"options of {variant}: {sentence}")
