"""`bowerbird league FILE`, and the group of commands for a league."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.groups import CommandGroup
from bowerbird.harness.cli.shared.machine_options import machine_options
from bowerbird.harness.cli.shared.options import (
    db_option,
    debug_option,
    examples,
    isolation_option,
    jobs_option,
    quiet_option,
)
from bowerbird.harness.cli.shared.output import note
from bowerbird.harness.cli.shared.serving import own_command, pages_beside, require_extra, serve_option
from bowerbird.harness.extras.league.commands import league_change, league_epoch, league_list

if TYPE_CHECKING:
    from bowerbird.harness.extras.league.remote import Listening

RUN = "run"


class LeagueGroup(CommandGroup):
    """A group in which `league FILE` is short for `league run FILE`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command at the start of `args`; `run` if a file stands there."""
        if args and args[0] not in self.commands and (args[0].endswith(".toml") or Path(args[0]).is_file()):
            args = [RUN, *args]
        return super().resolve_command(ctx, args)


@click.group(
    "league",
    cls=LeagueGroup,
    epilog=examples("league autumn.toml --serve", "league list", "league withdraw mybot"),
    subcommand_metavar="FILE | COMMAND [ARGS]...",
)
def command() -> None:
    """Run a league that never ends: bots join, change and leave while it plays.

    'bowerbird league FILE' is short for 'bowerbird league run FILE'.
    """


@click.command(RUN, epilog=examples("league run autumn.toml", "league run autumn.toml --jobs 2 --serve"))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--listen", metavar="ADDRESS:PORT", help="Listen on this address for remote bots.")
@click.option(
    "--public-name",
    "names",
    multiple=True,
    metavar="NAME",
    help="The name or IP address that remote bots connect to. By default this machine's. Repeatable.",
)
@league_epoch.remote_options
@isolation_option
@jobs_option
@machine_options
@serve_option
@db_option
@quiet_option
@debug_option
@click.pass_context
def run(
    ctx: click.Context,
    /,
    *,
    file: Path,
    listen: str | None,
    names: tuple[str, ...],
    serve: str | None,
    db: Path,
    quiet: bool,
    **others: object,
) -> None:
    """Play the league FILE, epoch after epoch, until Ctrl-C.

    Start it again to continue, even after a crash. The other league commands work while it runs.
    """
    from bowerbird.harness.cli.shared.recording import recording_store
    from bowerbird.harness.extras.league.accepted_file import accepted_file
    from bowerbird.harness.extras.league.epoch_loop import EpochLoop
    from bowerbird.harness.extras.league.league_file import load_league
    from bowerbird.harness.records.store.sidecar import LeagueLock
    from bowerbird.harness.tournament.errors import ConfigError

    if serve is not None:
        require_extra()
    with recording_store(db, quiet=quiet) as store:
        league = accepted_file(file, store, note)

    def pause_s() -> float:
        try:
            return load_league(file).pause_ms / 1000
        except ConfigError:
            return 0.0  # the next epoch says what is wrong

    arguments = ["league", league_epoch.EPOCH, "--with-parent", *_typed(ctx)]
    with LeagueLock(db, league.name), ExitStack() as opened:
        inherited: tuple[int, ...] = ()
        if listen is not None:
            listening = opened.enter_context(_listening(listen, names, db, league.name))
            inherited = (listening.listener.fileno(),)
            arguments += ["--listen-fd", str(inherited[0])]
            for name in listening.names:
                arguments += ["--public-name", name]
            note(f"remote bots connect to {listening.address}; bowerbird league invite BOT invites one")
        opened.enter_context(pages_beside(db, serve))
        if not quiet:
            note(f"league {league.name}: Ctrl-C stops it, and the same command continues it")
        EpochLoop(own_command(arguments), note, pause_s=pause_s, inherited=inherited).run()
        note(f"league {league.name} has stopped; the same command continues it")


@contextmanager
def _listening(listen: str, names: Sequence[str], db: Path, league: str) -> Iterator[Listening]:
    """Listen for remote bots during the block, and keep where for invitations."""
    from bowerbird.harness.extras.league.remote import Listening, keep_address
    from bowerbird.harness.tournament.preparation import hosting

    with hosting.listen(listen) as listener:
        listening = Listening(listener, hosting.public_names(listener, names), 0.0)
        keep_address(listening, db, league)
        yield listening


def _typed(ctx: click.Context) -> list[str]:
    """Return the arguments that the process of an epoch shares with this command."""
    parameters = {one.name for one in league_epoch.command.params} - {"names"}
    words: list[str] = []
    for one in ctx.command.params:
        value = ctx.params.get(one.name or "")
        source = ctx.get_parameter_source(one.name or "")
        if isinstance(one, click.Argument):
            words.append(str(value))
        elif one.name in parameters and source is click.core.ParameterSource.COMMANDLINE:
            words += [one.opts[0]] if value is True else [one.opts[0], str(value)]
    return words


command.add_command(run)
command.add_command(league_list.command)
for _one in league_change.COMMANDS:
    command.add_command(_one)
command.add_command(league_epoch.command)
