"""The options that all commands share that play a run, as one value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bowerbird.harness.cli.shared.machine_options import machine_options
from bowerbird.harness.cli.shared.options import (
    isolation_option,
    jobs_option,
    progress_options,
    resume_option,
    watch_option,
)
from bowerbird.harness.cli.shared.serving import pages_beside, serve_option

if TYPE_CHECKING:
    from bowerbird.harness.cli.display.progress import StatusText
    from bowerbird.harness.records.store.store import Store, StoredRun
    from bowerbird.harness.tournament.config.tournament_file import TournamentFile
    from bowerbird.harness.tournament.executors.other_machines import OtherMachines


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing:
    """The options that control how a run is played. Each attribute is the value of one option."""

    db: Path
    as_json: bool
    quiet: bool
    isolation: str | None
    jobs: int
    machines: OtherMachines | None
    watch: bool
    resume: bool = False
    serve: str | None = None

    @contextmanager
    def store(self) -> Iterator[Store]:
        """Open the database for the block, as `recording_store` does, and with --serve its pages."""
        from bowerbird.harness.cli.shared.recording import recording_store

        with recording_store(self.db, quiet=self.quiet) as store, pages_beside(self.db, self.serve):
            yield store

    def play(
        self,
        file: TournamentFile,
        store: Store,
        *,
        run: StoredRun | None = None,
        status: StatusText | None = None,
        **more: Any,
    ) -> StoredRun:
        """Play a tournament and return its run, as `tournament_run.play_run` does. `more` is for `RunOptions`."""
        from bowerbird.harness.cli.tournament_run import play_run
        from bowerbird.harness.tournament.run_options import RunOptions

        options = RunOptions(workers=self.jobs, machines=self.machines, watch=self.watch, **more)
        return play_run(
            file,
            store,
            options,
            resume=self.resume,
            run=run,
            quiet=self.quiet,
            isolation=self.isolation,
            status=status,
        )


def playing_options(*, resume: bool = True, serve: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds the options of a command that plays a run. The command gets them as `playing`.

    resume: True to add --resume.
    serve: True to add --serve.
    """
    added: tuple[Callable[..., Any], ...] = (
        *([resume_option] if resume else []),
        isolation_option,
        jobs_option,
        machine_options,
        watch_option,
        *([serve_option] if serve else []),
        progress_options,
    )
    names = [field.name for field in fields(Playing)]

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_playing(**given: Any) -> Any:
            playing = Playing(**{name: given.pop(name) for name in names if name in given})
            return command(playing=playing, **given)

        decorated: Callable[..., Any] = with_playing
        for option in reversed(added):
            decorated = option(decorated)
        return decorated

    return add


def note_equal_names(typed: Sequence[str]) -> None:
    """If several bots on a command line have the same name, print on stderr which bot each name means.

    typed: the bots as they were named. Raises ConfigError if one of them can't be read.
    """
    from bowerbird.harness.cli.shared.output import note
    from bowerbird.harness.tournament.config.bot_entries import folders_of_equal_names
    from bowerbird.harness.tournament.config.bot_file import load_bot
    from bowerbird.harness.tournament.config.bot_paths import find_bot

    folders = folders_of_equal_names(typed, [load_bot(find_bot(text)) for text in typed])
    if folders:
        note(f"same name: {folders} (change 'name' in bot.toml to rename one)")
