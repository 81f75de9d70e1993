"""The rating list: every bot with its rating of record and its rank by interval (ratings.md, Ratings kept)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, TypeVar

from bowerbird.engine import counted
from bowerbird.harness.ratings.bradley_terry.fit import ANCHOR, NO_ANCHORS, Fit, fit_observations
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.normalised import ELO_PER_DEVIATION, FEWEST_SETS, mean_in_deviations
from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.ratings.points import Points, points_fit
from bowerbird.harness.ratings.standings.circles import Circle, circles
from bowerbird.harness.ratings.standings.ranks import Likelihoods, last_ranks_of, more_sets, ranks_of, settled_above
from bowerbird.harness.records.values.game_result import GameResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Found = TypeVar("Found")


def computed(what: str, compute: Callable[[], Found], instead: Found) -> tuple[Found, str]:
    """Return what `compute` returns and ""; or `instead` and the reason if the results have no such number.

    what: the number in words, with which the reason begins.

    Only arithmetic errors (including RatingError) are caught; all others are raised.
    """
    try:
        return compute(), ""
    except (ArithmeticError, ValueError) as error:  # numpy's LinAlgError and our RatingError are ValueErrors
        return instead, f"{what} could not be computed: {error}"


ELO, POINTS = "elo", "points"
MEASURES = (ELO, POINTS)
"""What ranks the bots (`rank_by` in tournament-file.md)."""


@dataclass(frozen=True, slots=True)
class RatedBot:
    """A line of the rating list.

    `rank` is the best rank that it can have: 1 plus the number of bots that are settled above it (`ranks`). It is None
    if no ranks are claimed (`RatingList.no_ranks`). `ahead` is the likelihood of superiority over the bot of the next
    line; None for the last line. `normalised` is the normalised Elo against the field; None without spread. `points`
    are the points for each deal. `last_rank` is the worst rank that it can have: the number of bots minus those that
    are settled below it; None without a rank.
    """

    bot: str
    rank: int | None
    rating: Estimate
    ahead: float | None
    normalised: Estimate | None
    points: Points | None
    last_rank: int | None = None


@dataclass(frozen=True, slots=True)
class Undecided:
    """A bot and the one on the next line, which are not told apart.

    `more_sets` is roughly how many more deal sets it would take if their difference is what it seems: over all line-ups
    together, as a run counts them. None if nothing can be said. `times` is the total play needed as a multiple of what
    has been played.
    """

    bot: str
    other: str
    more_sets: int | None
    times: float | None = None


@dataclass(frozen=True, slots=True)
class RatingList:
    """The rated bots, the strongest first by `rank_by`, ELO or POINTS.

    `sentence` says which rating is 0, or why no bot is rated. `remarks` are warnings: circles, and where Elo and points
    disagree. `undecided` are the neighbours that cannot be told apart. `no_ranks` says why no ranks and intervals are
    claimed; "" if they hold. `likelihoods` are the likelihoods of all pairs of its bots; None without ranks.
    `withdrawn` are bots that no longer play: they keep ratings and ranks, but nothing is open about them
    (`without_withdrawn`).
    """

    lines: tuple[RatedBot, ...]
    sentence: str
    rank_by: str = ELO
    remarks: tuple[str, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    no_ranks: str = ""
    likelihoods: Likelihoods | None = field(default=None, repr=False, compare=False)
    withdrawn: frozenset[str] = frozenset()

    @property
    def staying(self) -> tuple[RatedBot, ...]:
        """The lines of the bots that were not withdrawn."""
        return tuple(line for line in self.lines if line.bot not in self.withdrawn)

    def line(self, bot: str) -> RatedBot | None:
        """Return the line of a bot; None if it is not rated."""
        return next((line for line in self.lines if line.bot == bot), None)


class _Measure(Protocol):
    """Ratings of bots with the p-values of all their differences: a `Fit` or a `PointsFit`."""

    @property
    def bots(self) -> tuple[str, ...]: ...
    def values(self) -> NDArray[np.float64]: ...
    def p_values(self) -> NDArray[np.float64]: ...


NOT_ROTATED = "no deal set was played with every rotation of the seats: better seats are not evened out"
"""The remark of ratings from games that mirrored deal sets do not balance."""


def rating_list(
    results: Iterable[GameResult],
    anchor: str = ANCHOR,
    rank_by: str = ELO,
    *,
    anchors: Mapping[str, float] = NO_ANCHORS,
    complete_only: bool = True,
    reduce_bias: bool = True,
) -> RatingList:
    """Return the rating list of results of one scope; empty, with the reason, if they have no ratings.

    If a number other than the ratings cannot be computed, it is left out, and a remark says why.

    anchors: as for `fit`.
    rank_by: ELO, or POINTS for single deals of one variant. Raises RatingError for points of anything else.
    complete_only, reduce_bias: as for `fit`. Games without rotation need complete_only=False.
    """
    from bowerbird.harness.ratings.bradley_terry.observations import observe
    from bowerbird.harness.ratings.games import distinct_games, rotated_games

    games, is_rotated = rotated_games(results) if complete_only else (distinct_games(results), True)
    one_variant = len({game.variant for game in games}) == 1
    if rank_by not in MEASURES or (rank_by == POINTS and games and not one_variant):
        raise RatingError(f"{rank_by!r} cannot rank bots over several variants; use {ELO!r}")
    try:
        found = fit_observations(observe(games), anchor=anchor, anchors=anchors, reduce_bias=reduce_bias)
    except (RatingError, ArithmeticError) as error:
        return RatingList((), f"no ratings: {error}", rank_by)
    if not found.bots:
        return RatingList((), "no ratings: no game of two different bots is rated", rank_by)
    has_points = one_variant and (rank_by == POINTS or any(game.scores for game in games))
    scored, no_points = computed("points", lambda: points_fit(games) if has_points else None, None)
    measures: dict[str, _Measure] = {ELO: found} if scored is None else {ELO: found, POINTS: scored}
    no_table: dict[str, _Table] = {}
    tables, no_ranks = computed("ranks", lambda: {name: _Table(one) for name, one in measures.items()}, no_table)
    if rank_by not in tables:
        return RatingList((), f"no ratings: {no_points or no_ranks}", rank_by)
    table = tables[rank_by]
    unknown: dict[str, Estimate] = {}
    against_field, no_field = computed("normalised Elo", lambda: normalised(games), unknown)
    likelihoods = table.likelihoods()
    lines = [
        RatedBot(
            bot=bot,
            rank=table.ranks[bot],
            rating=_rating(found, bot),
            ahead=ahead,
            normalised=against_field.get(bot),
            points=scored.rows.get(bot) if scored is not None else None,
            last_rank=table.last_ranks[bot],
        )
        for bot, ahead in zip(table.order, [*likelihoods.superiority.diagonal(1).tolist(), None], strict=True)
    ]
    no_circle: tuple[Circle, ...] = ()
    round_, no_circles = computed("circles", lambda: circles(games), no_circle)
    missing = ["" if is_rotated else NOT_ROTATED, no_points, no_field, no_circles, _unknown_bounds(found)]
    return RatingList(
        lines=tuple(lines),
        sentence=basis_of(found, anchor, anchors),
        rank_by=rank_by,
        remarks=(*disagreements(tables), *(circle.sentence for circle in round_), *filter(None, missing)),
        undecided=tuple(table.undecided(1 + int(games.deal_sets.max()))),
        likelihoods=likelihoods,
    )


def _rating(found: Fit, bot: str) -> Estimate:
    """Return the rating of a bot, with an unknown error if only its value can be computed."""
    estimate, _ = computed("the interval", lambda: found.rating(bot), None)
    return estimate if estimate is not None else Estimate(float(found.values()[found.bots.index(bot)]), math.inf)


def _unknown_bounds(found: Fit) -> str:
    """Return a sentence if bounds of perfect scores were not found; else ""."""
    if not found.unknown_bounds:
        return ""
    return f"{counted(found.unknown_bounds, 'bound')} of perfect scores could not be computed; these intervals are open"


class _Table:
    """The order and the ranks of bots by one measure."""

    def __init__(self, measure: _Measure) -> None:
        values = measure.values()
        self._place = {bot: number for number, bot in enumerate(measure.bots)}
        self._values = values
        self._p_values = measure.p_values()
        self._above = settled_above(values, self._p_values)
        self.ranks = dict(zip(measure.bots, ranks_of(self._above), strict=True))
        self.last_ranks = dict(zip(measure.bots, last_ranks_of(self._above), strict=True))
        self.order = sorted(measure.bots, key=lambda bot: (-values[self._place[bot]], bot))

    def above(self, bots: Sequence[str]) -> NDArray[np.bool_]:
        """Return for each two of these bots whether the first is settled above the second."""
        places = [self._place[bot] for bot in bots]
        return self._above[places][:, places]

    def likelihoods(self) -> Likelihoods:
        """Return how likely each bot is to be stronger than each other one, in the order of the table."""
        order = [self._place[bot] for bot in self.order]
        return Likelihoods.of(
            tuple(self.order), self._values[order], self._p_values[order][:, order], self.above(self.order)
        )

    def undecided(self, sets: int) -> Iterator[Undecided]:
        """Yield the bots that are not settled above the bot of the next line; `sets` have been played."""
        for bot, other in pairwise(self.order):
            at = self._place[bot], self._place[other]
            if not self._above[at]:
                p_value = float(self._p_values[at])
                yield undecided(bot, other, p_value, len(self.order), sets)


def undecided(bot: str, other: str, p_value: float, bots: int, sets: int) -> Undecided:
    """Return two bots that are not told apart, and what it would take to do so; parameters as for `more_sets`."""
    more = more_sets(p_value, bots, sets)
    return Undecided(bot, other, more, None if more is None else 1 + more / max(1, sets))


def without_withdrawn(listed: RatingList, withdrawn: frozenset[str], sets: int) -> RatingList:
    """Return a rating list in which only pairs of bots that were not withdrawn are open.

    No deal set can be added for the others. Ratings and ranks stay: they tell what all results say.
    sets: how many deal sets have been played.
    """
    if not withdrawn:
        return listed
    listed = replace(listed, withdrawn=withdrawn)
    found = listed.likelihoods
    if found is None:
        return listed
    place = {bot: at for at, bot in enumerate(found.bots)}
    pairs = [(line.bot, following.bot) for line, following in pairwise(listed.staying)]
    return replace(
        listed,
        undecided=tuple(
            undecided(bot, other, found.p_value(place[bot], place[other]), len(listed.lines), sets)
            for bot, other in pairs
            if not found.above[place[bot], place[other]]
        ),
    )


def disagreements(tables: Mapping[str, _Table]) -> Iterator[str]:
    """Yield a sentence for each pair of bots that Elo settles one way and points the other way."""
    import numpy as np

    if len(tables) < 2:
        return
    bots = tables[ELO].order
    for one, other in np.argwhere(tables[ELO].above(bots) & tables[POINTS].above(bots).T).tolist():
        yield f"{bots[one]} is above {bots[other]} by Elo and below it by points"


def anchors_text(anchors: Mapping[str, float]) -> str:
    """Return `the anchors greedy 1500 and random 1000 are fixed at their mean, 1250`, or the same of one anchor."""
    named = [f"{bot} {rating:g}" for bot, rating in anchors.items()]
    mean = sum(anchors.values()) / len(anchors)
    if len(named) == 1:
        return f"the anchor {next(iter(anchors))} is fixed at {mean:g}"
    return f"the anchors {', '.join(named[:-1])} and {named[-1]} are fixed at their mean, {mean:g}"


def basis_of(found: Fit, anchor: str = ANCHOR, anchors: Mapping[str, float] = NO_ANCHORS) -> str:
    """Return a sentence that says which rating is 0, or which ones are given."""
    left_out = [bot for bot in anchors if bot not in found.anchors]
    if found.anchors and anchors:
        without = f" (without {', '.join(left_out)}, which won or lost everything)" if left_out else ""
        return f"Elo: {anchors_text(found.anchors)}{without}"
    if found.anchor:
        return f"Elo: the anchor {found.anchor} is fixed at {found.anchor_rating:g}"
    first, *others = found.basis
    if len(found.basis) == len(found.bots):
        zero = "the mean of all is 0"
    elif others:
        zero = f"the mean of {', '.join(found.basis[:-1])} and {others[-1]} is 0"
    else:
        zero = f"{first} is fixed at 0"
    if anchors:
        return f"Elo: {zero} (no anchor of {', '.join(anchors)} has a rating with two ends here)"
    if not anchor:
        return f"Elo: {zero}"
    if anchor not in found.bots:
        return f"Elo: {zero} (the anchor {anchor} did not play)"
    return f"Elo: {zero} (the anchor {anchor} won or lost everything, so it has no finite rating)"


def normalised(games: Iterable[GameResult]) -> dict[str, Estimate]:
    """Return each bot's normalised Elo against the field: its mean above 1/2 in standard deviations of a game.

    Deal sets are the clusters. Bots with fewer than FEWEST_SETS, or with equal results in all sets, are left out.
    """
    import numpy as np

    from bowerbird.harness.ratings.games import as_games

    games = as_games(games)
    shares = [one for block in games.blocks for one in block.shares()]
    if not shares:
        return {}
    game, bot, outcome = (np.concatenate(part) for part in zip(*shares, strict=True))
    most = int(games.clusters.max()) + 1
    cells, cell = np.unique(bot * most + games.clusters[game], return_inverse=True)
    means = np.bincount(cell, outcome) / np.bincount(cell) - 0.5
    played = np.bincount(np.unique(cell * len(games) + game) // len(games))
    ends = np.searchsorted(cells, most * np.arange(len(games.bots) + 1)).tolist()
    found = {
        bot: _normalised(means[start:end].tolist(), played[start:end].tolist())
        for bot, (start, end) in zip(games.bots, pairwise(ends), strict=True)
    }
    return {bot: estimate for bot, estimate in found.items() if estimate is not None}


def _normalised(means: Sequence[float], played: Sequence[int]) -> Estimate | None:
    """Return the normalised Elo of a bot with these means above 1/2 and numbers of games by deal set."""
    if len(set(means)) < 2 or len(means) < FEWEST_SETS:
        return None
    value, error = mean_in_deviations(means)
    scale = ELO_PER_DEVIATION / math.sqrt(math.fsum(played) / len(means))
    return Estimate(value * scale, error * scale, len(means) - 1)
