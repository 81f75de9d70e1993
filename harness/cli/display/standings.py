"""The standings of runs on stdout: the first screen, all tables, places, or JSON (commands.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bowerbird.engine import counted
from bowerbird.harness.cli.display.corrections import correction_count, correction_head
from bowerbird.harness.cli.display.faults import latest_story_lines
from bowerbird.harness.cli.display.full_tables import full_lines
from bowerbird.harness.cli.display.standings_document import standings_document
from bowerbird.harness.cli.display.summary import SCREEN_LINES, Shown, summary_lines
from bowerbird.harness.cli.shared.output import Column, output_width, print_json, print_lines, recorded_command, table
from bowerbird.harness.cli.shared.runs import require_variant
from bowerbird.harness.ratings.standings.text.cells import (
    MATCH_COLUMNS,
    PLACE_COLUMNS,
    filled_places,
    match_cells,
    place_cells,
    tie_breaks,
)

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import Store, StoredRun
    from bowerbird.harness.records.values.placements import MatchResult, Placement
    from bowerbird.harness.records.values.query_results import FaultRow


def print_standings(
    run: StoredRun,
    *,
    as_json: bool,
    variant: str | None = None,
    full: bool = False,
    only_pooled: bool = False,
    lines: int = SCREEN_LINES,
) -> None:
    """Print the standings of a run on stdout: its first screen, or every table if `full`.

    variant: print only this variant, with every table; None for all.
    only_pooled: leave out the tables of single variants.
    lines: the height of the first screen.
    """
    print_combined_standings(
        run.store, [run], as_json=as_json, variant=variant, full=full, only_pooled=only_pooled, lines=lines
    )


def print_combined_standings(
    store: Store,
    runs: Sequence[StoredRun],
    *,
    as_json: bool,
    variant: str | None = None,
    full: bool = False,
    only_pooled: bool = False,
    lines: int = SCREEN_LINES,
    season: SeasonShown | None = None,
) -> None:
    """Print the standings from all games of `runs`, with the parameters of `print_standings`.

    season: the league season whose epochs are `runs`.
    """
    if as_json:
        print_json(standings_document(runs, variant))
        return
    print_lines(
        standings_text(
            store,
            runs,
            variant,
            full=full or only_pooled or variant is not None,
            only_pooled=only_pooled,
            width=output_width(),
            lines=lines,
            season=season,
        )
    )


def standings_text(
    store: Store,
    runs: Sequence[StoredRun],
    variant: str | None = None,
    *,
    full: bool = False,
    only_pooled: bool = False,
    width: int | None = None,
    lines: int = SCREEN_LINES,
    season: SeasonShown | None = None,
) -> list[str]:
    """Return the standings of runs as lines: the first screen, or every table and the latest faults if `full`.

    variant: show only this variant; None for all. Raises InputError if the runs have no game of it.
    only_pooled: leave out the tables of single variants.
    width: the longest line of a table; None for no limit.
    lines: the height of the first screen.
    season: the league season whose epochs are the runs.
    """
    from bowerbird.harness.ratings.standings.overview import overview
    from bowerbird.harness.ratings.standings.text.headline import headline_of

    if variant is not None:
        require_variant(runs, variant)
    found = overview(runs, variant)
    news = [*filter(None, [headline_of(found, runs)])] if variant is None else []
    faults = [fault for run in runs for fault in run.faults() if fault.was_played]
    if full:
        shown = [*news, *_season_head(season), *head_lines(runs, full=True), ""]
        for run in runs:
            outcome = outcome_lines(run, width)
            shown += [f"run {run.fingerprint} ({run.row.name})", *outcome] if outcome and len(runs) > 1 else outcome
        shown += full_lines(found, width, only_pooled=only_pooled)
        return [*shown, *_all_stories(store, runs, faults)]
    head = [*news, *_season_head(season), *head_lines(runs), *(brief_outcome(runs[0]) if len(runs) == 1 else [])]
    again = _again(store, runs) if season is None else ["standings", "--league", season.league, *season.options]
    return summary_lines(found, Shown(head, faults, store.path, again, lines), width)


@dataclass(frozen=True, slots=True)
class SeasonShown:
    """The season `number` of a league. `options` select it on the command line if it is not the current season."""

    league: str
    number: int
    options: tuple[str, ...] = ()


def _season_head(season: SeasonShown | None) -> list[str]:
    return [] if season is None else [f"league {season.league}, season {season.number}"]


def _again(store: Store, runs: Sequence[StoredRun]) -> list[str]:
    """Return the arguments of a command that shows these standings."""
    if len(runs) == 1:
        return ["standings", runs[0].fingerprint]
    every = store.runs()
    if len(runs) == len(every):
        return ["standings", "--all", *([] if all(_is_trusted(every)) else ["--untrusted"])]
    counting = [run.fingerprint for run, trusted in zip(every, _is_trusted(every), strict=True) if trusted]
    is_all = sorted(counting) == sorted(run.fingerprint for run in runs)
    return ["standings", *(["--all"] if is_all else [run.fingerprint for run in runs])]


def _is_trusted(runs: Sequence[StoredRun]) -> list[bool]:
    """Return True for each run that `standings --all` counts."""
    from bowerbird.harness.records.vouching import Vouchers

    vouchers = Vouchers()
    return [vouchers.of(run).trusted for run in runs]


def head_lines(runs: Sequence[StoredRun], *, full: bool = False) -> list[str]:
    """Return the lines above the tables: each run, and any reason to trust its games less.

    full: show every correction, not only the latest.
    """
    from bowerbird.harness.ratings.standings.text.uneven import uneven_lines
    from bowerbird.harness.records.store.protection import protection_lines
    from bowerbird.harness.records.values.corrections import FEW, withdrawal_lines
    from bowerbird.harness.records.values.machines import machine_lines, machine_use
    from bowerbird.harness.records.values.voids import counts_of, void_lines
    from bowerbird.harness.records.vouching import Vouchers
    from bowerbird.harness.tournament.played_so_far import played_so_far, without_a_game

    vouchers = Vouchers()
    if len(runs) > 1:
        names = ", ".join(_named(run) for run in runs[:NAMED])
        more = f" and {len(runs) - NAMED} more" if len(runs) > NAMED else ""
        vouching = [(run, vouchers.of(run)) for run in runs]
        lines = [f"{run.fingerprint} {each.line}" for run, each in vouching if not each.trusted]
        more_lines = [f"{len(lines) - NAMED} more not signed by anyone you trust"] if len(lines) > NAMED else []
        head = f"{counted(len(runs), 'run')} together: {names}{more}"
        return [head, *lines[:NAMED], *more_lines, *_claims(runs, full=full)]
    lines = []
    for run in runs:
        lines += [
            headline(run),
            *filter(None, [played_so_far(run), without_a_game(run), vouchers.of(run).line]),
            *protection_lines(run),
            *withdrawal_lines(run.withdrawals(), None if full else FEW),
            *uneven_lines(run, _annulling(run))[: None if full else FEW],
            *void_lines(counts_of(run.voids())),
            *correction_head(run, full=full),
            *machine_lines(machine_use(run.machines(), run.row.sets)),
        ]
    return [*lines, *_claims(runs, full=full)]


def _annulling(run: StoredRun) -> Callable[[str], str]:
    """Return a function that returns the command that annuls a bot's games."""

    def command(bot: str) -> str:
        return recorded_command(run.store.path, "withdraw", run.fingerprint, bot, "--annul", "--why", "REASON")

    return command


def _claims(runs: Sequence[StoredRun], *, full: bool) -> list[str]:
    """Return bots' claims about their own decisions, such as their cost; unless `full`, only those of a few bots."""
    from bowerbird.harness.records.values.figures import claim_lines, merged

    lines = claim_lines(merged(run.figure_sums() for run in runs))
    if full or len(lines) <= CLAIMS:
        return lines
    return [*lines[:CLAIMS], f"{counted(len(lines) - CLAIMS, 'more bot')} with claims: --full shows them"]


NAMED = 4
"""The most runs that a line names."""

CLAIMS = 2
"""The most bots whose claims about their own decisions the first screen shows."""


def _named(run: StoredRun) -> str:
    """Return `4f1c9a (autumn, 2 corrections)`."""
    return f"{run.fingerprint} ({', '.join(filter(None, [run.row.name, correction_count(run.row.corrections)]))})"


def headline(run: StoredRun) -> str:
    """Return a line with a run's name, its progress and the origin of its seed."""
    seed = "seed typed: a practice run" if run.row.practice else "seed drawn"
    state = "complete" if run.row.ended else "unfinished" if run.row.beacon != "" else "waiting for its beacon"
    if run.row.sets_after_seed and not run.row.practice:
        seed += f"; {counted(run.row.sets_after_seed, 'deal set')} added after its publication: practice"
    unplayed = run.unplayed_games()
    missed = run.unplayed_sets() if unplayed else 0
    played = f"{counted(run.row.games - unplayed, 'game')} in {counted(run.row.sets - missed, 'deal set')}"
    apart = [f"{missed} not played" if missed else "", f"{run.row.left_out} left out" if run.row.left_out else ""]
    if any(apart):
        played += f" ({', '.join(filter(None, apart))})"
    return f"run {run.fingerprint} ({run.row.name}): {played}, {state}; {seed}"


def _all_stories(store: Store, runs: Sequence[StoredRun], faults: Sequence[FaultRow]) -> list[str]:
    lines: list[str] = []
    for run in runs:
        own = [fault for fault in faults if fault.game.partition("/")[0] == run.fingerprint]
        lines += latest_story_lines(own, store.path, run.fingerprint)
    return lines


FEW_PLACES = 4
"""The most places that the first screen shows."""


def stopped_lines(run: StoredRun) -> list[str]:
    """Return the reason a run stopped; [] if its length was fixed in advance."""
    return [f"stopped: {run.row.stopped}"] if run.row.stopped else []


def brief_outcome(run: StoredRun) -> list[str]:
    """Return the outcome for the first screen; [] if the run is not complete or its format has no outcome."""
    places = run.placements()
    lines = stopped_lines(run)
    if places:
        named = ", ".join(_brief(place) for place in places[:FEW_PLACES])
        more = f" and {len(places) - FEW_PLACES} more" if len(places) > FEW_PLACES else ""
        lines.append(f"places: {named}{more}")
    return lines


def _brief(place: Placement) -> str:
    if place.points is not None:
        return f"{place.place} {place.bot} {place.points:g}"
    return f"{place.place} {place.bot}" + (f" ({place.remark})" if place.remark else "")


def outcome_lines(run: StoredRun, width: int | None = None) -> list[str]:
    """Return the whole outcome: places, how ties are broken, and every match, round by round."""
    places, matches = run.placements(), run.matches()
    lines = stopped_lines(run)
    if places:
        lines += ["places", *_places(places, width), tie_breaks(places, matches), ""]
    if matches:
        lines += ["matches", *_matches(matches, width), ""]
    return lines


def _places(places: Sequence[Placement], width: int | None) -> list[str]:
    rows = [place_cells(place) for place in places]
    filled = filled_places(rows)
    columns = [
        Column(
            PLACE_COLUMNS[at],
            right=PLACE_COLUMNS[at] not in ("bot", "remark"),
            cut=PLACE_COLUMNS[at] == "bot",
            wrap=PLACE_COLUMNS[at] == "remark",
        )
        for at in filled
    ]
    return table(columns, [[row[at] for at in filled] for row in rows], width)


def _matches(matches: Sequence[MatchResult], width: int | None) -> list[str]:
    rows = list(map(match_cells, matches))
    columns = [
        Column(
            title,
            right=title == "games",
            cut=title in ("bot", "opponent", "winner"),
            wrap=title in ("round", "how"),
        )
        for title in MATCH_COLUMNS
    ]
    return table(columns, rows, width)
