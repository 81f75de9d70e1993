"""The standings of one or several stored runs: each scope by itself, and the mean over variants.

Input: an open store and its runs. Output: `Overview`, which the terminal, the JSON, the leaderboard file and the
report show.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bowerbird.harness.ratings.collusion.collusion import CollusionFlag, collusion_flags
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.pairs import deal_sets
from bowerbird.harness.ratings.standings.chosen_pairs import value_alone, why_no_ranks, without_claims
from bowerbird.harness.ratings.standings.mean_list import mean_list
from bowerbird.harness.ratings.standings.places import places_by_score, places_of_run
from bowerbird.harness.ratings.standings.pool import NO_WEIGHTS, on_one_scale, pooled_of, variant_fits
from bowerbird.harness.ratings.standings.rating_list import (
    RatingList,
    computed,
    normalised,
    rating_list,
    without_withdrawn,
)
from bowerbird.harness.ratings.standings.scopes import (
    Scope,
    anchors_of,
    main_scopes,
    ranking_of,
    scopes_of_run,
    weights_of,
)
from bowerbird.harness.ratings.standings.shrinkage import shrunken
from bowerbird.harness.ratings.standings.tallies import merged_pairings, merged_standings, pairings_of, standings_of
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.query_results import Pairing, Standing

if TYPE_CHECKING:
    from bowerbird.harness.ratings.standings.pool import Pooled
    from bowerbird.harness.records.values.run import Entrant


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The standings of a scope, or of the mean over several variants (`scope` is None).

    results: the games of all its runs. Bots appear by name or, if several share a name, by longer labels.
    sets: the number of deal sets, counting the sets of each line-up.
    has_points: whether points for each deal have a unit: one variant, and no match of games, in which points restart.
    standings: what each bot did, the strongest first, the unrated last.
    runs: the ids of the runs.
    collusion: results between two bots that their other results do not explain; () for the mean over variants.
    places: each bot's place in the competition (`places`); {} if there are none, for example for several runs together.
    """

    scope: Scope | None
    rating_list: RatingList
    standings: tuple[Standing, ...]
    pairings: tuple[Pairing, ...]
    sets: int = 0
    has_points: bool = False
    runs: tuple[str, ...] = ()
    results: tuple[GameResult, ...] = field(default=(), repr=False)
    collusion: tuple[CollusionFlag, ...] = ()
    places: Mapping[str, int] = field(default_factory=dict)

    @property
    def variant(self) -> str:
        """The variant; "" for the mean over several."""
        return "" if self.scope is None else self.scope.variant

    @property
    def games(self) -> int:
        """The number of games that were played."""
        return sum(game.rated for game in self.results)

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots in the order of the standings."""
        return tuple(line.bot for line in self.standings)


@dataclass(frozen=True, slots=True)
class Overview:
    """The standings of runs.

    overall: the mean over the variants with their weights; with a single variant, its scope.
    variants: for each variant, its scope with the most deal sets.
    apart: all other scopes.
    pooled: each bot's ratings over several variants; {} with one variant.
    estimates: by variant and bot, the rating shrunk towards the bot's mean over variants; {} with one variant.
    normalised: each bot's normalised Elo against the field, over all variants.
    weights: the weights of variants in the mean, if not 1.
    """

    overall: Leaderboard
    variants: tuple[Leaderboard, ...]
    apart: tuple[Leaderboard, ...]
    pooled: Mapping[str, Pooled]
    estimates: Mapping[str, Mapping[str, Estimate]]
    normalised: Mapping[str, Estimate]
    weights: Mapping[str, float] = field(default_factory=lambda: NO_WEIGHTS)

    @property
    def every(self) -> tuple[Leaderboard, ...]:
        """All scopes: each variant's scopes, then the separate ones."""
        return (*self.variants, *self.apart)

    def description(self, scope: Scope) -> str:
        """Return the variant of a scope, with the terms in which it differs from the variant's other scopes."""
        others = [one.scope for one in self.every if one.scope is not None and one.scope != scope]
        return scope.against(other for other in others if other.variant == scope.variant)


def overview(runs: Sequence[StoredRun], variant: str | None = None) -> Overview:
    """Return the standings of runs, rated together; each run and each game counts once.

    variant: rate only this variant; None for all.
    """
    from bowerbird.harness.ratings.games import complete_sets

    runs = list({run.fingerprint: run for run in runs}.values())
    labels = _labels_of(runs)
    parts = [part for run in runs for part in _parts(run, labels[run.fingerprint], variant)]
    scopes: dict[Scope, list[_Part]] = {}
    for part in parts:
        scopes.setdefault(part.scope, []).append(part)
    why = why_no_ranks(run.row.config for run in runs)
    anchors, other_anchors = _shared(runs, anchors_of, "their bots different given ratings: none is an anchor")
    gone = _withdrawn(runs, labels)
    boards = {
        scope: _board(scope, scopes[scope], why, anchors, gone) for scope in sorted(scopes, key=lambda one: one.order)
    }
    main = main_scopes({scope: board.sets for scope, board in boards.items()})
    shown = tuple(boards[main[name]] for name in sorted(main))
    apart = tuple(board for scope, board in boards.items() if main[scope.variant] != scope)
    games = [game for board in shown for game in board.results]
    fits = variant_fits(games, anchors=anchors) if len(shown) > 1 else {}
    unscaled: dict[str, dict[str, Estimate]] = {}
    unpooled: dict[str, Pooled] = {}
    unknown: dict[str, Estimate] = {}
    ratings, no_scale = computed("ratings on one scale", lambda: on_one_scale(fits, anchors=anchors), unscaled)
    weights, other_weights = _shared(
        runs, weights_of, "their variants different weights: in the mean all have the same"
    )
    pooled, no_mean = computed("the mean over variants", lambda: pooled_of(ratings, weights), unpooled)
    counts = _whole_run(runs, shown, apart, variant)
    overall = (
        shown[0]
        if len(shown) == 1
        else _mean(
            shown,
            mean_list(fits, pooled, sum(board.sets for board in shown), weights=weights, anchors=anchors),
            counts,
            why,
            gone,
        )
    )
    estimates, no_estimates = computed("estimates", lambda: _on_own_scales(shrunken(ratings), ratings, shown), unscaled)
    several = len(shown) > 1
    against_field, no_field = computed(
        "normalised Elo", lambda: normalised(complete_sets(games)) if several else unknown, unknown
    )
    if why:
        pooled, estimates = {}, {}
        against_field = {bot: value_alone(one) for bot, one in against_field.items()}
    overall = _remarked(
        overall,
        odds_remarks(shown) if len(shown) > 1 else [],
        [no_scale, no_mean, no_estimates, no_field, other_anchors, other_weights if several else ""],
    )
    if len(runs) == 1 and variant is None and shown and not apart:
        standings, unplaced = overall.standings, dict[str, int]()
        overall = _placed(overall, computed("places", lambda: places_of_run(runs[0], standings), unplaced)[0])
    return Overview(
        overall=overall,
        variants=(overall,) if len(shown) == 1 else shown,
        apart=apart,
        pooled=pooled,
        estimates=estimates,
        normalised=against_field,
        weights=weights,
    )


def _shared(
    runs: Sequence[StoredRun], read: Callable[[str], Mapping[str, float]], differ: str
) -> tuple[Mapping[str, float], str]:
    """Return what the files of all runs agree on, and ""; if they differ, return nothing and a remark."""
    found = [read(run.row.config) for run in runs]
    if all(one == found[0] for one in found[1:]):
        return (found[0] if found else {}), ""
    return {}, f"the runs give {differ}"


def _remarked(board: Leaderboard, first: Iterable[str], last: Iterable[str]) -> Leaderboard:
    """Return the board with further (non-empty) remarks before and after its own."""
    remarks = (*filter(None, first), *board.rating_list.remarks, *filter(None, last))
    if remarks == board.rating_list.remarks:
        return board
    return replace(board, rating_list=replace(board.rating_list, remarks=remarks))


def odds_remarks(boards: Sequence[Leaderboard]) -> list[str]:
    """Return remarks about bots with their own clocks, each once."""
    return [*dict.fromkeys(odds for board in boards if board.scope is not None and (odds := board.scope.odds))]


SAME_ZERO = 1e-6
"""Two scales have the same zero if ratings on them differ by less, in Elo."""


def _on_own_scales(
    estimates: Mapping[str, Mapping[str, Estimate]],
    ratings: Mapping[str, Mapping[str, Estimate]],
    shown: Sequence[Leaderboard],
) -> dict[str, dict[str, Estimate]]:
    """Return estimates that are on one scale, moved to the zero of each variant's rating list.

    If that zero differs from the common one, the interval is unknown, since it was relative to the common zero.
    ratings: the ratings of the same variants and bots, on the one scale, too.
    """
    moved: dict[str, dict[str, Estimate]] = {}
    for board in shown:
        own = {line.bot: line.rating for line in board.rating_list.lines}
        common = ratings.get(board.variant, {})
        shift = next((own[bot].value - common[bot].value for bot in own if bot in common), 0.0)
        same = _fixed(own) == _fixed(common) and abs(shift) < SAME_ZERO
        moved[board.variant] = {
            bot: one if same else Estimate(one.value + shift, math.inf)
            for bot, one in estimates.get(board.variant, {}).items()
        }
    return moved


def _fixed(ratings: Mapping[str, Estimate]) -> set[str]:
    """Return the bots whose rating is 0 by definition."""
    return {bot for bot, one in ratings.items() if one.se == 0}


@dataclass(frozen=True, slots=True)
class _Part:
    """The games of one run in one scope, with their counts. `rank_by` is the run's."""

    scope: Scope
    run: str
    rank_by: str
    results: tuple[GameResult, ...]
    standings: tuple[Standing, ...]
    pairings: tuple[Pairing, ...]
    has_points: bool


def _parts(run: StoredRun, labels: Mapping[str, str], variant: str | None) -> list[_Part]:
    results = [game for game in run.results() if variant is None or game.variant == variant]
    scopes = scopes_of_run(run.row.config, {(game.id.entry, game.variant) for game in results})
    games: dict[Scope, list[GameResult]] = {}
    for game in results:
        games.setdefault(scopes[game.id.entry], []).append(_labelled(game, labels))
    several = {scope.variant for scope in games if sum(one.variant == scope.variant for one in games) > 1}
    standings, pairings = run.standings_by_scope(), run.crosstables()
    counted = _counted(run, {scope: games[scope] for scope in games if scope.variant in several}, labels)
    return [
        counted[scope]
        if scope in counted
        else _Part(
            scope,
            run.fingerprint,
            ranking_of(run.row.config),
            tuple(found),
            tuple(replace(line, bot=labels.get(line.bot, line.bot)) for line in standings.get(scope.variant, [])),
            tuple(
                replace(one, bot=labels.get(one.bot, one.bot), opponent=labels.get(one.opponent, one.opponent))
                for one in pairings.get(scope.variant, [])
            ),
            any(line.points_per_deal is not None for line in standings.get(scope.variant, [])),
        )
        for scope, found in games.items()
    ]


def _labelled(game: GameResult, labels: Mapping[str, str]) -> GameResult:
    """Return a result with the labels of its bots."""
    if all(labels.get(bot, bot) == bot for bot in game.bots):
        return game
    return replace(game, bots=tuple(labels.get(bot, bot) for bot in game.bots))


def _counted(
    run: StoredRun, games: Mapping[Scope, Sequence[GameResult]], labels: Mapping[str, str]
) -> dict[Scope, _Part]:
    """Return the parts of scopes that share their variant with another scope; the store's views would merge them."""
    if not games:
        return {}
    scope_of = {str(game.id): scope for scope, found in games.items() for game in found}
    versions = {labels.get(bot.name, bot.name): bot.version for bot in run.bots()}
    faults = [replace(fault, bot=labels.get(fault.bot, fault.bot)) for fault in run.faults() if fault.game in scope_of]
    decisions: dict[Scope, dict[str, int]] = {}
    with_points: set[Scope] = set()
    for seat in run.seat_results():
        if seat.game in scope_of:
            bots, bot = decisions.setdefault(scope_of[seat.game], {}), labels.get(seat.bot, seat.bot)
            bots[bot] = bots.get(bot, 0) + seat.decisions
            if seat.points is not None:
                with_points.add(scope_of[seat.game])
    parts = {}
    for scope, found in games.items():
        pairings = pairings_of(found)
        lines = standings_of(
            found,
            pairings,
            versions=versions,
            faults=[fault for fault in faults if scope_of[fault.game] == scope],
            decisions=decisions.get(scope),
        )
        parts[scope] = _Part(
            scope,
            run.fingerprint,
            ranking_of(run.row.config),
            tuple(found),
            tuple(lines),
            tuple(pairings),
            scope in with_points,
        )
    return parts


def _withdrawn(runs: Sequence[StoredRun], labels: Mapping[str, Mapping[str, str]]) -> frozenset[str]:
    """Return the labels of the bots that were withdrawn in every run that they entered."""
    staying: set[str] = set()
    gone: set[str] = set()
    for run in runs:
        withdrawn = {labels[run.fingerprint].get(one.bot, one.bot) for one in run.withdrawals()}
        gone |= withdrawn
        staying |= set(labels[run.fingerprint].values()) - withdrawn
    return frozenset(gone - staying)


def _board(
    scope: Scope, parts: Sequence[_Part], no_ranks: str, anchors: Mapping[str, float], gone: frozenset[str]
) -> Leaderboard:
    """Return the leaderboard of a scope. Points rank only if they rank in every run.

    no_ranks: why no ranks are claimed (`why_no_ranks`).
    gone: the bots that were withdrawn.
    """
    from bowerbird.harness.ratings.games import complete_sets

    results = [game for part in parts for game in part.results]
    rank_by = {part.rank_by for part in parts}
    sets = deal_sets(results)
    found = rating_list(results, rank_by=rank_by.pop() if len(rank_by) == 1 else "elo", anchors=anchors)
    found = without_withdrawn(found, gone, sets)
    has_points = all(part.has_points for part in parts)
    no_flag: tuple[CollusionFlag, ...] = ()
    flags, no_flags = computed("flags", lambda: collusion_flags(complete_sets(results), points=has_points), no_flag)
    board = _ranked(
        Leaderboard(
            scope=scope,
            rating_list=without_claims(found, no_ranks),
            standings=tuple(merged_standings([part.standings for part in parts])),
            pairings=tuple(merged_pairings([part.pairings for part in parts])),
            sets=sets,
            has_points=has_points,
            runs=tuple(part.run for part in parts),
            results=tuple(results),
            collusion=flags,
        )
    )
    return _remarked(board, [scope.odds], [no_flags])


def _ranked(board: Leaderboard) -> Leaderboard:
    """Return the board with its lines in the order of the rating list; unrated bots come last, by score and name."""
    return _placed(board, places_by_score(board.standings), shown=False)


def _placed(board: Leaderboard, places: Mapping[str, int], *, shown: bool = True) -> Leaderboard:
    """Return the board with its lines in the order of the rating list, and bots without a rating by their places.

    If ratings decide nothing, the places of the competition come first: its winner is on top.

    shown: whether these places are the competition's places.
    """
    rated = {line.bot: number for number, line in enumerate(board.rating_list.lines)}
    decide = shown and bool(board.rating_list.no_ranks)

    def order(line: Standing) -> tuple[int, int, str]:
        rating, place = rated.get(line.bot, len(rated)), places.get(line.bot, len(places) + 1)
        return (place, rating, line.bot) if decide else (rating, place, line.bot)

    lines = tuple(sorted(board.standings, key=order))
    return replace(board, standings=lines, places=places if shown else {})


Counts = tuple[Sequence[Standing], Sequence[Pairing]]


def _whole_run(
    runs: Sequence[StoredRun],
    shown: Sequence[Leaderboard],
    apart: Sequence[Leaderboard],
    variant: str | None,
) -> Counts:
    """Return the counts over the variants shown: the store's, with percentiles, if they cover one whole run."""
    if len(runs) == 1 and not apart and len(shown) > 1 and variant is None:
        return (
            [replace(line, points_per_deal=None) for line in runs[0].standings_by_scope().get(None, [])],
            runs[0].crosstables().get(None, []),
        )
    return merged_standings([board.standings for board in shown]), merged_pairings([board.pairings for board in shown])


def _mean(
    shown: Sequence[Leaderboard], found: RatingList, counts: Counts, no_ranks: str, gone: frozenset[str]
) -> Leaderboard:
    """Return the leaderboard of the mean over variants.

    found: its rating list. no_ranks, gone: as for `_board`.
    """
    standings, pairings = counts
    sets = sum(board.sets for board in shown)
    listed = without_withdrawn(found, gone, sets) if shown else RatingList((), "no ratings: no game is stored")
    return _ranked(
        Leaderboard(
            scope=None,
            rating_list=without_claims(listed, no_ranks),
            standings=tuple(standings),
            pairings=tuple(pairings),
            sets=sets,
            runs=tuple(dict.fromkeys(run for board in shown for run in board.runs)),
            results=tuple(game for board in shown for game in board.results),
        )
    )


_Identity = tuple[str, str, str]
"""Name, version, fingerprint."""


def _labels_of(runs: Sequence[StoredRun]) -> dict[str, dict[str, str]]:
    """Return the label of each bot by run and name, so that a label means the same bot in every run.

    If several bots share a name, the version is appended, and the fingerprint as well if versions are equal.
    """
    entrants = {run.fingerprint: run.bots() for run in runs}
    labels = _labels(bot for bots in entrants.values() for bot in bots)
    return {run: {bot.name: labels[_identity(bot)] for bot in bots} for run, bots in entrants.items()}


def _identity(bot: Entrant) -> _Identity:
    return bot.name, bot.version, bot.fingerprint


def _labels(bots: Iterable[Entrant]) -> dict[_Identity, str]:
    """Return the shortest unique label of each bot: name, name and version, or these and a part of the fingerprint."""
    named: dict[str, set[_Identity]] = {}
    for bot in bots:
        named.setdefault(bot.name, set()).add(_identity(bot))
    labels: dict[_Identity, str] = {}
    for name, same in named.items():
        for _, version, files in same:
            if len(same) == 1:
                label = name
            elif sum(other[1] == version for other in same) == 1:
                label = f"{name} {version}"
            else:
                label = f"{name} {version} {files.removeprefix('sha256:')[:6]}"
            labels[name, version, files] = label
    return labels
