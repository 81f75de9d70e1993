"""What a tournament says on stderr while it runs: a rich bar on a terminal, plain lines where it is piped."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from harness.cli.tables import faults_text
from harness.records.run import RatingTable
from harness.tournament.events import Building, Event, GamePlayed, LobbyNews, RunEnded, RunStarted, SetSaved

Show = Callable[[Event], None]

LINES = 10
"""How many lines a whole run gets where progress is piped."""


@contextmanager
def progress(quiet: bool) -> Iterator[Show]:
    """A function that shows the events of one run, as fits where stderr goes."""
    if quiet:
        yield lambda event: None
    elif sys.stderr.isatty():
        with _bar() as show:
            yield show
    else:
        yield _Lines(lambda line: click.echo(line, err=True))


class _Lines:
    """Plain lines: the beginning, the first fault of each bot and kind, every tenth of the sets, the end."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._faults: Counter[tuple[str, str]] = Counter()

    def __call__(self, event: Event) -> None:
        match event:
            case Building(bot=bot):
                self._write(f"building bot {bot} …")
            case LobbyNews(line=line):
                self._write(line)
            case RunStarted():
                self._start(event)
            case GamePlayed():
                self._played(event)
            case SetSaved() if event.sets_done * LINES // event.sets > (event.sets_done - 1) * LINES // event.sets:
                self._write(f"{event.sets_done} of {event.sets} deal sets; {elo_line(event.ratings)}")
            case RunEnded(header=header, seed=seed):
                self._write(f"run {header.fingerprint} is complete; its seed was {seed}")

    def _start(self, event: RunStarted) -> None:
        header = event.header
        self._write(
            f"run {header.fingerprint} ({header.name}): {len(header.bots)} bots, {event.sets} deal sets, "
            f"{event.games} games; the seed is committed to as {header.commitment}"
        )
        if event.sets_stored:
            self._write(f"{event.sets_stored} deal sets are stored already and are not played again")

    def _played(self, event: GamePlayed) -> None:
        for bot, kind in event.faults:
            self._faults[bot, kind] += 1
            if self._faults[bot, kind] == 1:
                self._write(f"fault: bot {bot}, {kind}, in game {event.game_id}; later ones of this kind are counted")


def elo_line(ratings: RatingTable) -> str:
    """`Elo greedy 1534, random 1466`: over all variants, the best first."""
    rows = sorted((row for row in ratings.rows if not row.scope), key=lambda row: (-row.rating, row.bot))
    return "Elo " + ", ".join(f"{row.bot} {row.rating:.0f}" for row in rows) if rows else "nobody is rated yet"


@contextmanager
def _bar() -> Iterator[Show]:
    """The same lines above a bar that moves with every game."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, highlight=False)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[elo]}{task.fields[faults]}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("playing", total=None, elo="", faults="")
        lines = _Lines(lambda line: console.print(line, markup=False, soft_wrap=True))
        kinds: Counter[str] = Counter()

        def show(event: Event) -> None:
            match event:
                case RunStarted(header=header, games=games, games_stored=stored):
                    bar.update(task, description=header.name, total=games, completed=stored)
                case GamePlayed(games_done=done, faults=faults):
                    kinds.update(kind for _, kind in faults)
                    bar.update(task, completed=done, faults=f"  {faults_text(kinds)}" if kinds else "")
                case SetSaved(ratings=ratings):
                    bar.update(task, elo=elo_line(ratings))
            if not isinstance(event, SetSaved):
                lines(event)

        yield show
