"""A profile of each bot from the figures of a run: loss per deal, by stage and variant, mistakes, and the par. Pure.

A bot has a deal once for each side on which it sits, and its loss on that side is the loss of all its seats. Intervals
are 95 % and treat deal sets as independent, since all games of a set, and all line-ups with common packs, share their
deals.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bowerbird.harness.extras.analysis.game_analysis import BIDDING, STAGES, THOUSAND, Decision, GameAnalysis
from bowerbird.harness.records.values.run import GameId

MISTAKES = 10
"""How many of the costliest mistakes a profile has."""

SURE_ERRORS = 1.96
"""Half of a 95 % interval in standard errors."""

Figures = Mapping[str, GameAnalysis]
"""The analysis of each game."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean in points per deal, with half of its interval, which is None with fewer than two deal sets."""

    mean: float
    half: float | None


@dataclass(frozen=True, slots=True)
class Mistake:
    """A decision that cost something, and its game."""

    game: str
    decision: Decision

    @property
    def sure_loss(self) -> float:
        """The low end of its loss in points.

        Mistakes are ordered by it, since the largest of many noisy losses is mostly noise.
        """
        return (self.decision.loss - SURE_ERRORS * self.decision.error) / THOUSAND

    @property
    def is_sure(self) -> bool:
        """Whether the decision certainly cost something."""
        return self.sure_loss > 0 and self.decision.token != self.decision.best


@dataclass(frozen=True, slots=True)
class ParSum:
    """The sums over a bot's deals, in thousandths of a point.

    `result` is exactly `par - own + others + rest`. The losses of its partners are also in `own`, since they are on its
    side.
    """

    result: int
    par: int
    own: int
    others: int
    rest: int


@dataclass(frozen=True, slots=True)
class Habit:
    """A kind of choice that the judge makes differently.

    Attributes:
        stage, did, better: the stage, the bot's choice, and the judge's choice there.
        times: how often.
        of: how often the bot made this choice in all.
        loss: its cost in points per deal.
    """

    stage: str
    did: str
    better: str
    times: int
    of: int
    loss: Estimate


@dataclass(frozen=True, slots=True)
class Calls:
    """How often a bot called trump, and how often it should have. The same for going alone.

    Attributes:
        asked: its bidding decisions.
        calls, judged_calls: how many of these the bot, and the judge, answered with a call.
        alone, judged_alone: how often the bot, and the judge, went alone.
    """

    asked: int
    calls: int
    judged_calls: int
    alone: int
    judged_alone: int


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of a bot.

    Attributes:
        bot: its name.
        deals: how many deals it has.
        decisions: how many of its decisions were judged.
        loss: in points per deal.
        stages: each stage's part of the loss.
        variants: the loss in each variant entry.
        habits: kinds of choices that the judge makes differently, costliest first.
        calls: how often it called and went alone.
        mistakes: its costliest mistakes.
        par: the sums over its deals.
    """

    bot: str
    deals: int
    decisions: int
    loss: Estimate
    stages: Mapping[str, Estimate]
    variants: Mapping[str, Estimate]
    habits: tuple[Habit, ...]
    calls: Calls
    mistakes: tuple[Mistake, ...]
    par: ParSum


def profiles(figures: Figures, bots: Sequence[str] = ()) -> list[Profile]:
    """Return the profile of each bot, smallest loss first; only of `bots` if there are any."""
    names = {one.bot for found in figures.values() for one in found.hands}
    chosen = sorted(names & set(bots) if bots else names)
    return sorted((profile_of(figures, bot) for bot in chosen), key=lambda one: one.loss.mean)


def profile_of(figures: Figures, bot: str) -> Profile:
    """Return the profile of one bot."""
    own = {game: [one for one in found.decisions if one.bot == bot] for game, found in figures.items()}
    deals = {game: _deals(found, bot) for game, found in figures.items()}
    entries = sorted({GameId.parse(game).entry for game in figures if deals[game]})
    number = sum(deals.values())
    made = [one for found in own.values() for one in found]
    return Profile(
        bot=bot,
        deals=number,
        decisions=len(made),
        loss=estimate(_by_set(own), _by_set_counts(deals)),
        stages={
            stage: estimate(
                _by_set({game: [one for one in found if one.stage == stage] for game, found in own.items()}),
                _by_set_counts(deals),
            )
            for stage in STAGES
        },
        variants={
            entry: estimate(
                _by_set({game: found for game, found in own.items() if GameId.parse(game).entry == entry}),
                _by_set_counts({game: count for game, count in deals.items() if GameId.parse(game).entry == entry}),
            )
            for entry in entries
        },
        habits=_habits(own, _by_set_counts(deals)),
        calls=_calls(made),
        mistakes=costliest([Mistake(game, one) for game, found in own.items() for one in found]),
        par=_par(figures, bot),
    )


def costliest(mistakes: Iterable[Mistake], most: int = MISTAKES) -> tuple[Mistake, ...]:
    """Return the mistakes that certainly cost something, costliest first."""
    sure = [one for one in mistakes if one.is_sure]
    return tuple(sorted(sure, key=lambda one: (-one.sure_loss, one.game, one.decision.hand, one.decision.step))[:most])


def estimate(losses: Mapping[tuple[str, int], int], deals: Mapping[tuple[str, int], int]) -> Estimate:
    """Return the loss per deal from the sums of each deal set, in thousandths."""
    number = sum(deals.values())
    if not number:
        return Estimate(0.0, None)
    mean = sum(losses.values()) / number
    sets = [key for key, count in deals.items() if count]
    if len(sets) < 2:
        return Estimate(mean / THOUSAND, None)
    spread = sum((losses.get(key, 0) - mean * deals[key]) ** 2 for key in sets)
    error = math.sqrt(spread * len(sets) / (len(sets) - 1)) / number
    return Estimate(mean / THOUSAND, SURE_ERRORS * error / THOUSAND)


def set_of(game: str) -> tuple[str, int]:
    """Return the key of an independent deal: the entry and the number of the deal set."""
    place = GameId.parse(game)
    return place.entry, place.set_number


def _by_set(decisions: Mapping[str, Sequence[Decision]]) -> Counter[tuple[str, int]]:
    found: Counter[tuple[str, int]] = Counter()
    for game, made in decisions.items():
        found[set_of(game)] += sum(one.loss for one in made)
    return found


def _by_set_counts(deals: Mapping[str, int]) -> Counter[tuple[str, int]]:
    found: Counter[tuple[str, int]] = Counter()
    for game, count in deals.items():
        found[set_of(game)] += count
    return found


def _deals(found: GameAnalysis, bot: str) -> int:
    """Return how many deals of a game the bot has: one for each side and hand."""
    return len({(one.hand, one.side) for one in found.hands if one.bot == bot})


def _habits(made: Mapping[str, Sequence[Decision]], deals: Mapping[tuple[str, int], int]) -> tuple[Habit, ...]:
    """Return the kinds of choices in which the bot differs from the judge, by cost."""
    did: Counter[tuple[str, str]] = Counter()
    times: Counter[tuple[str, str, str]] = Counter()
    losses: defaultdict[tuple[str, str, str], Counter[tuple[str, int]]] = defaultdict(Counter)
    for game, decisions in made.items():
        for one in decisions:
            did[one.stage, one.did] += 1
            if one.token != one.best:
                key = (one.stage, one.did, one.better)
                times[key] += 1
                losses[key][set_of(game)] += one.loss
    found = [Habit(*key, times[key], did[key[:2]], estimate(by_set, deals)) for key, by_set in losses.items()]
    return tuple(sorted(found, key=lambda one: (-one.loss.mean, one.stage, one.did, one.better)))


_NOT_CALLS = frozenset({"pass", "decline", "drop"})


def _calls(made: Sequence[Decision]) -> Calls:
    asked = [one for one in made if one.stage == BIDDING]
    return Calls(
        asked=len(asked),
        calls=sum(one.token not in _NOT_CALLS for one in asked),
        judged_calls=sum(one.best not in _NOT_CALLS for one in asked),
        alone=sum(one.token.endswith("alone") for one in asked),
        judged_alone=sum(one.best.endswith("alone") for one in asked),
    )


def _par(figures: Figures, bot: str) -> ParSum:
    sums = [0] * 5
    for found in figures.values():
        seen = set()
        for one in found.hands:
            if one.bot == bot and (one.hand, one.side) not in seen:
                seen.add((one.hand, one.side))
                for place, value in enumerate((one.result, one.par, one.own, one.others, one.rest)):
                    sums[place] += value
    return ParSum(*sums)
