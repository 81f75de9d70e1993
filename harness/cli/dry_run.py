"""`bowerbird tournament FILE --dry-run`: the schedule and a forecast of its size and duration."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from bowerbird.engine import counted
from bowerbird.harness.cli.display.progress import round_line
from bowerbird.harness.cli.shared.output import Column, output_width, print_json, print_lines, table
from bowerbird.harness.cli.tournament_run import resumed_plan
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_result import by_set
from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.records.values.voids import left_out_of
from bowerbird.harness.tournament.annulled import annulled_results
from bowerbird.harness.tournament.config.resume_rules import check_resume
from bowerbird.harness.tournament.config.schema import ADAPTIVE, DRAW
from bowerbird.harness.tournament.config.tournament_file import TournamentFile
from bowerbird.harness.tournament.corrections import withdrawn_bots
from bowerbird.harness.tournament.forecast import Forecast, forecast
from bowerbird.harness.tournament.formats.absences import NO_ABSENCES
from bowerbird.harness.tournament.formats.catalogue import AT_LEAST, AT_MOST, EXACTLY
from bowerbird.harness.tournament.formats.rounds import Round, RoundResults, Rounds, RoundSequence
from bowerbird.harness.tournament.jobs.job import Job
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.playing.run_clock import RunClock, untimed_sets
from bowerbird.harness.tournament.playing.stored_absences import known_absences

ENTRIES = (
    Column("variant"),
    Column("seats", right=True),
    Column("line-up", drop=3),
    Column("line-ups", right=True, drop=2),
    Column("deal sets", right=True),
    Column("games", right=True),
    Column("decisions", right=True, drop=1),
)
JOBS = (Column("variant"), Column("line-up", cut=True, below=""), Column("deal sets"), Column("games", right=True))


def print_dry_run(file: TournamentFile, db: Path, *, resume: bool, as_json: bool) -> None:
    """Print the forecast of a tournament; with `resume`, only for the unplayed rest of its run in the database `db`."""
    if resume:
        with Store.open(db) as store:
            plan = resumed_plan(file, store)
            run = store[plan.header.fingerprint]
            header = run.header()
            if header is not None:
                check_resume(header, plan.header)
            stored = by_set(run.results(with_times=True))
            played_ms = run.played_ms()
            corrections = run.corrections()
            clock = RunClock(played_ms, corrected=untimed_sets(plan.file.format, corrections))
            left_out = left_out_of(run.voids())
            decided = {**annulled_results(run), **stored}
            absences = known_absences(run, plan.file.limits)
            gone = frozenset(withdrawn_bots(run))
    else:
        plan, stored, clock, left_out = make_plan(file), {}, RunClock({}), ()
        decided, absences, gone = {}, NO_ABSENCES, frozenset[str]()
    # A drawn schedule depends on the seed, which does not exist yet.
    is_drawn = plan.file.terms.seeding == DRAW or plan.file.format == ADAPTIVE
    pairs_known = not is_drawn or resume or bool(file.seed)
    rounds = plan.rounds(clock.stored_at_s, absences)
    following = _next_round(rounds, decided, left_out) if pairs_known else None
    following, missed = _without(following, gone)
    expected = forecast(plan, following, len(stored))
    if as_json:
        print_json(_document(plan, expected))
    else:
        like_last_run = _like_last_run(db, plan, expected) or _measured(db, plan, expected)
        withdrawn = f"{', '.join(sorted(gone))} withdrawn: {counted(missed, 'game')} not played" if missed else ""
        print_lines([*_lines(plan, expected, like_last_run), *filter(None, [withdrawn])])


def _measured(db: Path, plan: Plan, expected: Forecast) -> str:
    """Return how long the bots will think if each decides as fast as in its latest run; "" if none has played here."""
    if not db.is_file():
        return ""
    with Store.open(db) as store:
        times = {bot.name: store.thinking_time(bot.fingerprint) for bot in plan.file.bots if not bot.remote}
    known = {name: ms for name, ms in times.items() if ms is not None}
    if not known:
        return ""
    named = ", ".join(f"{name} {ms:.1f} ms" for name, ms in known.items())
    if len(known) < len(plan.file.bots):
        return f"mean time of a decision in earlier runs: {named}; the other bots have not played here"
    seconds = expected.decisions * sum(known.values()) / len(known) / 1000
    return f"about {_duration(seconds)} of thinking at the mean times of earlier runs: {named}"


def _without(following: Round | None, gone: Collection[str]) -> tuple[Round | None, int]:
    """Return a round without the line-ups of withdrawn bots (None if none are left), and how many games they miss."""
    if following is None or not gone:
        return following, 0
    kept = tuple(job for job in following.jobs if not set(job.lineup.positions) & set(gone))
    missed = sum(job.games for job in following.jobs) - sum(job.games for job in kept)
    return (replace(following, jobs=kept) if kept else None), missed


def _like_last_run(db: Path, plan: Plan, expected: Forecast) -> str:
    """Return how long the run will take at the pace of these bots' latest run; "" if they have none."""
    if not db.is_file():
        return ""
    names = {bot.name for bot in plan.file.bots}
    with Store.open(db) as store:
        for run in store.runs():
            if run.row.games and {bot.name for bot in run.bots()} == names:
                played_ms = max(run.played_ms().values(), default=0)
                decisions = sum(result.decisions for result in run.results())
                if not (played_ms and decisions):
                    return ""
                seconds = played_ms / 1000 * expected.decisions / decisions
                return f"about {_duration(seconds)} if it goes as fast as run {run.row.name} of the same bots"
    return ""


def _next_round(rounds: Rounds, decided: RoundResults, left_out: Collection[SetKey]) -> Round | None:
    sequence = RoundSequence(rounds)
    sequence.replay(decided, left_out)
    return sequence.round


def _lines(plan: Plan, expected: Forecast, like_last_run: str) -> Iterator[str]:
    file, extent = plan.file, expected.extent
    bound = "" if extent.bound == EXACTLY else f"{extent.bound} "
    about = "about " if file.terms.name == ADAPTIVE else ""
    rounds = f" in {about}{extent.rounds} rounds" if extent.rounds > 1 else ""
    sets = f"{bound}{counted(file.sets, 'deal set')}"
    of_what = "in all" if file.terms.name == ADAPTIVE else "a line-up"
    yield f"{file.name}: {file.terms.name} of {len(file.bots)} bots{rounds}, {sets} {of_what}"
    yield ""
    yield from table(
        ENTRIES,
        [
            (one.entry, str(one.seats), one.lineup, str(one.lineups), str(one.sets), str(one.games), str(one.decisions))
            for one in expected.entries
        ],
        output_width(),
    )
    yield ""
    at_once = _duration(expected.seconds)
    longest = _duration(expected.longest_seconds)
    yield (
        f"in all {bound}{counted(extent.sets, 'deal set')}, {counted(extent.games, 'game')} and about "
        f"{counted(expected.decisions, 'decision')} of random bots: {at_once} if bots answer at once, "
        f"at most about {longest} without voids and restarts"
    )
    if like_last_run:
        yield like_last_run
    if expected.sets_stored:
        yield f"{counted(expected.sets_stored, 'deal set')} already stored, not played again"
    yield ""
    yield from _round_lines(expected, file.terms.name)


def _round_lines(expected: Forecast, form: str) -> Iterator[str]:
    first = expected.first
    if first is None:
        yield "nothing is left to play" if expected.sets_stored else "the first pairs are drawn when the run begins"
        return
    if first.title:
        yield round_line(first) if first.pairs else f"first: {first.title}"
    rows = [(job.entry, job.lineup.text, _numbers(job.sets), str(job.games)) for job in _by_lineup(first)]
    yield from table(JOBS, rows, output_width())
    if form == ADAPTIVE:
        yield "the results decide which line-ups play the later rounds"
    elif expected.extent.bound == AT_MOST:
        yield "further blocks of this size follow until the stop rule applies"
    elif expected.extent.rounds > 1:
        yield f"{expected.extent.rounds} rounds in all; the results decide the pairings of later rounds"
    if expected.extent.bound == AT_LEAST:
        yield "a tied match gets further deal sets"


def _by_lineup(first: Round) -> list[Job]:
    """Return the jobs of a round, merged into one job per line-up, in the order of each line-up's first job."""
    sets: dict[tuple[str, str], list[int]] = {}
    jobs: dict[tuple[str, str], Job] = {}
    for job in first.jobs:
        jobs.setdefault((job.entry, job.lineup.text), job)
        sets.setdefault((job.entry, job.lineup.text), []).extend(job.sets)
    return [replace(job, sets=tuple(sets[lineup])) for lineup, job in jobs.items()]


def _numbers(sets: tuple[int, ...]) -> str:
    return str(sets[0]) if len(sets) == 1 else f"{sets[0]} to {sets[-1]}"


def _duration(seconds: float) -> str:
    """Return a duration as text: "40 s", "12 min", "3.5 h", "4.2 days"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} days"


def _document(plan: Plan, expected: Forecast) -> dict[str, object]:
    first = expected.first
    return {
        "name": plan.file.name,
        "format": plan.file.terms.name,
        "bots": [bot.name for bot in plan.file.bots],
        "rounds": expected.extent.rounds,
        "sets": expected.extent.sets,
        "games": expected.extent.games,
        "bound": expected.extent.bound,
        "decisions": expected.decisions,
        "seconds": expected.seconds,
        "longest_seconds": expected.longest_seconds,
        "sets_stored": expected.sets_stored,
        "variants": expected.entries,
        "next_round": first
        and {
            "title": first.title,
            "pairs": first.pairs,
            "byes": first.byes,
            "jobs": [
                {"entry": job.entry, "lineup": job.lineup.text, "sets": job.sets, "games": job.games}
                for job in _by_lineup(first)
            ],
        },
    }
