"""Progress of a tournament on stderr: a rich bar on a terminal, plain lines if stderr is piped."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bowerbird.engine import counted
from bowerbird.harness.cli.shared.output import ELLIPSIS, cut_texts, note, wrapped
from bowerbird.harness.ratings.standings.text.cells import faults_text
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.run import RecordRating
from bowerbird.harness.records.values.voids import VoidedSet
from bowerbird.harness.tournament import events
from bowerbird.harness.tournament.formats.catalogue import AT_MOST, EXACTLY, Extent
from bowerbird.harness.tournament.formats.rounds import Round

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

OnEvent = Callable[[events.TournamentEvent], None]

StatusText = Callable[[events.SetSaved], str]
"""A function that returns text about what a newly saved deal set changed."""

BOTS_SHOWN = 10
"""The most bots that a line of progress names."""

NAME_WIDTH, BAR_WIDTH = 20, 12
"""Widths of a run's name and of the bar, in characters. They leave room for the bots' ratings on a line of 80."""

STALL_LINES = 10
"""The most lines about stalls of the host in a whole run."""

SET_LINES = 10
"""Number of lines about deal sets in a whole run if stderr is piped."""


@contextmanager
def show_progress(quiet: bool, status: StatusText | None = None, name: str = "") -> Iterator[OnEvent]:
    """Yield a function that shows the events of one run on stderr.

    status: returns the text for a saved deal set; None for the latest fitted ratings.
    name: the run's name, if it was renamed.
    """
    if quiet:
        yield _Remarks(note)
    elif sys.stderr.isatty():
        with _bar(status, name) as on_event:
            yield on_event
    else:
        yield _Lines(note, status, name)


class _Remarks:
    """The progress with --quiet: only a warning if bots run without a sandbox, and the reason for a long silence."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def __call__(self, event: events.TournamentEvent) -> None:
        if isinstance(event, events.IsolationChosen) and event.remark:
            self._write(event.remark)
        elif isinstance(event, events.StartsSlow):
            self._write(slow_start_line(event))


class _Lines:
    """Plain lines: the start, the first fault of each bot and kind, voids, every tenth of the sets, and the end."""

    def __init__(self, write: Callable[[str], None], status: StatusText | None, name: str = "") -> None:
        self._write = write
        self._status = status
        self._fitted: events.RatingsFitted | None = None
        self._name = name
        self._faults: Counter[tuple[str, str]] = Counter()
        self._extent: Extent | None = None
        self._stalls = 0
        self._gone: set[str] = set()
        self._missed = 0
        self._cluster = ""

    def __call__(self, event: events.TournamentEvent) -> None:
        match event:
            case events.IsolationChosen(remark=remark, shared_files=shared) if remark or shared:
                self._write(remark or shared)
            case events.HostStoodStill(lasted_s=lasted_s):
                self._stood_still(lasted_s)
            case events.RunStarted():
                self._start(event)
            case events.GamePlayed():
                self._played(event)
            case events.RoundStarted(round=round_) if round_.pairs:
                self._write(round_line(round_))
            case events.SetSaved(sets_done=done) if self._is_due(done):
                self._write("; ".join(filter(None, [self._done(done), self._standing(event)])) + self._cluster)
            case events.RatingsFitted():
                self._fitted = event
            case events.BlockPlayed():
                self._cluster = f"; {cluster_text(event)}"
            case events.SetVoided(void=void):
                self._write(void_line(void))
            case events.RunEnded():
                self._end(event)
            case _:
                for line in event_lines(event):
                    self._write(line)

    def _standing(self, event: events.SetSaved) -> str:
        if self._status is not None:
            return self._status(event)
        if self._fitted is None:
            return ""  # too early to fit ratings
        if not self._fitted.ratings:
            return "no bot is rated yet"
        after = "" if self._fitted.sets == event.sets_done else f" after {self._fitted.sets}"
        may_change = "; the order may still change" if self._fitted.is_open else ""
        return f"{ratings_line(self._fitted)}{after}{may_change}"

    def _start(self, event: events.RunStarted) -> None:
        header, extent = event.header, event.extent
        self._extent = extent
        bound = "" if extent.bound == EXACTLY else f"{extent.bound} "
        self._write(
            f"run {header.fingerprint} ({self._name or header.name}): {len(header.bots)} bots, "
            f"{bound}{counted(extent.sets, 'deal set')}, {counted(extent.games, 'game')}"
        )
        self._write("commitment to its seed:")
        self._write(f"  {header.commitment}")
        if event.sets_stored:
            self._write(f"{counted(event.sets_stored, 'deal set')} already stored, not played again")

    def _stood_still(self, lasted_s: float) -> None:
        self._stalls += 1
        if self._stalls <= STALL_LINES:
            last = "; later stalls are not shown" if self._stalls == STALL_LINES else ""
            self._write(f"the machine stalled for {lasted_s:.0f} s; the bots' clocks were stopped{last}")

    def _is_due(self, done: int) -> bool:
        """Return True if a line is due: after every tenth of the sets, or at powers of 2 if their number is open."""
        if self._extent is None or self._extent.bound == AT_MOST:
            return done & (done - 1) == 0
        sets = self._extent.sets
        return done * SET_LINES // sets > (done - 1) * SET_LINES // sets

    def _done(self, done: int) -> str:
        known = self._extent is not None and self._extent.bound == EXACTLY
        if known and self._extent is not None:
            return f"{done} of {counted(self._extent.sets, 'deal set')}"
        return counted(done, "deal set")

    def _end(self, event: events.RunEnded) -> None:
        if self._missed:
            self._write(f"{counted(self._missed, 'game')} not played")
        if event.outcome.reason:
            self._write(f"stopped: {event.outcome.reason}")
        self._write(f"run {event.header.fingerprint} is complete; its seed:")
        self._write(f"  {event.seed}")
        for number, seed in event.correction_seeds.items():
            self._write(f"the seed of its correction {number}:")
            self._write(f"  {seed}")

    def _played(self, event: events.GamePlayed) -> None:
        self._missed += bool(event.missed_by)
        for bot in event.missed_by:
            if bot not in self._gone:
                self._gone.add(bot)
                self._write(f"bot {bot} is withdrawn: the games that it misses are not played")
        for bot, kind in event.faults:
            self._faults[bot, kind] += 1
            if self._faults[bot, kind] == 1:
                self._write(f"fault: bot {bot}, {kind}, in game {event.game_id}; later ones of this kind are counted")


def teller(*, quiet: bool) -> Callable[[events.TournamentEvent], None]:
    """Return a function that reports events of worker machines on stderr, or nothing if `quiet`."""

    def tell(event: events.TournamentEvent) -> None:
        for line in () if quiet else event_lines(event):
            note(line)

    return tell


def event_lines(event: events.TournamentEvent) -> Iterator[str]:
    """Yield the lines of an event, if they don't depend on earlier events; otherwise nothing."""
    match event:
        case events.Building(bot=bot, limit_s=limit_s):
            yield building_line(bot, limit_s)
        case events.AdmissionUpdate(line=line) | events.NetworkChosen(line=line) | events.ProcessorsUnshared(line=line):
            yield line
        case events.StartsSlow():
            yield slow_start_line(event)
        case events.WorkersChosen(machines=machines, left_out=left_out):
            yield f"played by {', '.join(machines)}"
            yield from (f"left out: {why}" for why in left_out)
        case events.WorkerJoined(worker=worker, workers=workers):
            yield f"worker {worker} joined; {counted(workers, 'worker')} now"
        case events.WorkerLeftOut(why=why):
            yield f"left out: {why}"
        case events.WorkerSilent(worker=worker, games=games, seconds=seconds, limit_s=limit_s):
            yield (
                f"worker {worker} has been silent for {seconds:.0f} s, and has {counted(games, 'game')}; after "
                f"{limit_s:.0f} s it counts as lost (Ctrl-C ends)"
            )
        case events.WorkerLost(worker=worker, why=why, workers=workers):
            left = counted(workers, "worker")
            yield f"worker {worker} is lost: {why}; others play its games again; {left} left"
        case events.WatchUnavailable(why=why):
            yield why
        case events.NothingLeft(header=header, sets=sets):
            yield f"run {header.fingerprint} is complete: {counted(sets, 'deal set')} already stored"


def building_line(bot: str, limit_s: float) -> str:
    """Return the line about a bot being built and how long that can take."""
    return f"building bot {bot} (at most {limit_s / 60:g} minutes) …"


def slow_start_line(event: events.StartsSlow) -> str:
    """Return a line about the bots that the run is waiting for, and how long that can take."""
    named = ", ".join(event.bots[:BOTS_SHOWN]) + (" …" if len(event.bots) > BOTS_SHOWN else "")
    return (
        f"{named}: not ready yet; starting can take {event.startup_s:g} s, and is tried twice more if it fails "
        "(Ctrl-C ends)"
    )


def cluster_text(event: events.BlockPlayed) -> str:
    """Return the activity of a cluster, such as `8 workers, 21,300 decisions/s`."""
    workers = counted(event.workers, "worker")
    return f"{workers}, {event.decisions_per_s:,.0f} decisions/s" if event.decisions_per_s else workers


def round_line(round_: Round) -> str:
    """Return a round as text, such as `round 2 of 3: greedy - random, pimc - greedy-b; bye: last`."""
    pairs = ", ".join(f"{one} - {other}" for one, other in round_.pairs)
    byes = f"; bye: {', '.join(round_.byes)}" if round_.byes else ""
    return f"{round_.title}: {pairs}{byes}"


def void_line(void: VoidedSet) -> str:
    """Return a line about a void and what happens to its deal set."""
    then = "it is left out after its last attempt" if void.is_last else "it is played again with new packs"
    return f"deal set {void.key} is void: {void.why} ({', '.join(void.bots)}); {then}"


def ratings_line(fitted: events.RatingsFitted) -> str:
    """Return `Elo greedy 85 ±40, random -85 ±40`: ratings over all variants, best first, of at most `BOTS_SHOWN` bots.

    The text begins with `Elo open:` while the order can still change.
    """
    rows = [row for row in fitted.ratings if not row.scope]
    if not rows:
        return "no bot is rated yet"
    more = f" and {len(rows) - BOTS_SHOWN} more" if len(rows) > BOTS_SHOWN else ""
    named = ", ".join(f"{row.bot} {_with_error(row)}" for row in rows[:BOTS_SHOWN])
    return f"Elo {'open: ' if fitted.is_open else ''}{named}{more}"


def _with_error(row: RecordRating) -> str:
    """Return a rating with half the width of its 95% interval; without it if the interval is open."""
    if row.low is None or row.high is None or row.low == row.high:
        return f"{row.elo:.0f}"
    return f"{row.elo:.0f} ±{(row.high - row.low) / 2:.0f}"


def whole_items(text: str, width: int) -> str:
    """Return as many items of `Elo greedy 85 ±40, random -85 ±40` as fit whole in `width` characters."""
    if len(text) <= width:
        return text
    items = text.split(", ")
    for kept in range(len(items) - 1, 0, -1):
        shorter = f"{', '.join(items[:kept])}, {ELLIPSIS}"
        if len(shorter) <= width:
            return shorter
    return items[0] if len(items[0]) <= width else ""


class _Fitted:
    """A list as text; rich shows as many of its items as fit."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> Iterator[Text]:
        from rich.text import Text

        yield Text(whole_items(shown(self._text), options.max_width), no_wrap=True)


def short_name(name: str) -> str:
    """Return a name, cut in the middle to `NAME_WIDTH` characters if it is longer."""
    cut = cut_texts([shown(name)], NAME_WIDTH)
    return cut[0] if cut else shown(name)


@contextmanager
def _bar(status: StatusText | None, name: str) -> Iterator[OnEvent]:
    """Yield a function that shows the lines of `_Lines` above a bar that moves with every game."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column
    from rich.text import Text

    class StandingColumn(ProgressColumn):
        def render(self, task: Task) -> _Fitted | Text:
            if task.fields["building"]:
                return Text(shown(task.fields["status"]), no_wrap=True, overflow="ellipsis")
            return _Fitted(f"{task.fields['faults']}{task.fields['cluster']}{task.fields['status']}")

    class LeftColumn(TimeRemainingColumn):
        def render(self, task: Task) -> Text:
            time = super().render(task)
            return time.append(" left") if time.plain else time

    class DoneColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            if task.fields["building"]:
                return Text(f"{task.elapsed or 0:.0f} s")
            total = "?" if task.total is None else f"{task.total:.0f}"
            return Text(f"{task.completed:.0f}/{total} games")

    console = Console(stderr=True, highlight=False)
    columns = (
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, max_width=NAME_WIDTH)),
        BarColumn(bar_width=BAR_WIDTH),
        DoneColumn(),
        LeftColumn(compact=True),
        StandingColumn(table_column=Column(no_wrap=True, ratio=1)),
    )
    with Progress(*columns, console=console, transient=True, expand=True) as bar:
        nothing: dict[str, Any] = {"status": "", "faults": "", "cluster": ""}  # a reset drops the other fields
        task = bar.add_task("preparing", total=None, **nothing, building=True)

        def write(text: str) -> None:
            for part in map(shown, text.split("\n")):
                for line in [part] if part.startswith(" ") else wrapped(part, console.width):
                    console.print(line, markup=False, soft_wrap=True)

        lines = _Lines(write, status, name)
        kinds: Counter[str] = Counter()
        missed = 0

        def on_event(event: events.TournamentEvent) -> None:
            nonlocal missed
            match event:
                case events.Building(bot=bot):
                    bar.reset(task, description=f"building {short_name(bot)}", total=None, **nothing, building=True)
                case events.BuildSays(line=line):
                    bar.update(task, status=line)
                case events.RunStarted(header=header, extent=extent, games_stored=stored):
                    total = None if extent.bound == AT_MOST else extent.games
                    title = short_name(name or header.name)
                    bar.reset(task, description=title, total=total, completed=stored, **nothing, building=False)
                case events.GamePlayed(games_done=done, faults=faults):
                    kinds.update(kind for _, kind in faults)
                    missed += bool(event.missed_by)
                    told = [faults_text(kinds) if kinds else "", f"{missed} not played" if missed else ""]
                    bar.update(task, completed=done, faults="".join(f"{part}  " for part in told if part))
                case events.BlockPlayed():
                    bar.update(task, cluster=f"{cluster_text(event)}  ")
                case events.SetVoided(games_done=done):
                    bar.update(task, completed=done)
                case events.SetSaved() if status is not None:
                    bar.update(task, status=status(event))
                case events.RatingsFitted() if status is None:
                    bar.update(task, status=ratings_line(event))
            if not isinstance(event, events.SetSaved):
                lines(event)

        yield on_event
