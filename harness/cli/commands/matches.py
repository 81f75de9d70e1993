"""`bowerbird matches [RUN]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.engine import counted
from bowerbird.harness.cli.display.faults import stories
from bowerbird.harness.cli.shared.completion import complete_run
from bowerbird.harness.cli.shared.options import VARIANT, examples, result_options
from bowerbird.harness.cli.shared.output import Column, note, output_width, plain_fields, print_json, print_lines, table
from bowerbird.harness.cli.shared.voided import game_row, voided_records
from bowerbird.harness.records.values.outcome import WITHDRAWN

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.values.query_results import FaultRow, GameRow


@click.command(
    "matches",
    epilog=examples("matches", "matches autumn-league --bot greedy --faults", "matches autumn-league --voided"),
)
@click.argument("run", required=False, shell_complete=complete_run)
@click.option("--variant", metavar="NAME", type=VARIANT, help="List only games of this variant.")
@click.option("--bot", metavar="NAME", help="List only games with this bot.")
@click.option("--faults", "only_faults", is_flag=True, help="List only games with faults, and tell each fault's story.")
@click.option("--voided", is_flag=True, help="List the games that corrections removed from the results instead.")
@result_options
def command(
    *, run: str | None, variant: str | None, bot: str | None, only_faults: bool, voided: bool, db: Path, as_json: bool
) -> None:
    """List the games of RUN, by default the newest.

    RUN is an id, the start of one, or a name. A star marks the winners.
    """
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        found = store.run(run)
        if not voided:
            found.require_variant(variant)
        found.require_bot(bot)
        if voided:
            _print_voided(found, variant, bot, only_faults=only_faults, as_json=as_json)
            return
        games = found.games(variant=variant, bot=bot)
        faulty = [game for game in games if (game.faults if as_json else _faults(game))]
        missed = sum(game.ended == WITHDRAWN for game in games)
        faults = {game.id: store.faults_of(game.id) for game in faulty} if only_faults else {}
    if not games and not as_json:
        note(
            f"run {found.fingerprint} has no such game"
            if variant or bot
            else f"run {found.fingerprint} has no game yet"
        )
    elif only_faults:
        _print_faulty(faulty, faults, db.parent, as_json)
        if missed and not as_json:
            note(f"{counted(missed, 'game')} not played, since a bot was withdrawn")
    elif as_json:
        print_json(games)
    else:
        print_lines(table(_COLUMNS, [_row(game) for game in games], output_width()))


def _print_faulty(
    games: Sequence[GameRow], faults: Mapping[str, Sequence[FaultRow]], folder: Path, as_json: bool
) -> None:
    """Print a table of games with faults, and below it the story of each fault. `faults` maps game ids to faults."""
    if as_json:
        print_json([{**plain_fields(game), "stories": faults[game.id]} for game in games])
        return
    print_lines(table(_COLUMNS, [_row(game) for game in games], output_width()))
    for lines in stories([fault for game in games for fault in faults[game.id]], folder):
        print_lines(["", *lines])


def _print_voided(run: StoredRun, variant: str | None, bot: str | None, *, only_faults: bool, as_json: bool) -> None:
    """Print the games that corrections took out of the results of a run, each with the number of its correction."""
    records = [(game_row(one.record), one) for one in voided_records(run)]
    kept = [
        (game, one)
        for game, one in records
        if variant in (None, game.variant) and (bot is None or bot in game.bots) and (_faults(game) or not only_faults)
    ]
    if as_json:
        print_json(
            [
                {
                    **plain_fields(game),
                    "correction": one.correction.number,
                    **({"stories": one.faults} if only_faults else {}),
                }
                for game, one in kept
            ]
        )
        return
    if not kept:
        note(f"run {run.fingerprint} has no {'such ' if records else ''}voided game")
        return
    rows = [(*_row(game), str(one.correction.number)) for game, one in kept]
    print_lines(table((*_COLUMNS, Column("correction", right=True)), rows, output_width()))
    told = [fault for _, one in kept for fault in one.faults] if only_faults else []
    for lines in stories(told, run.store.path.parent):
        print_lines(["", *lines])


_COLUMNS = (
    Column("game"),
    Column("bots and scores by seat", below=""),
    Column("ended", below="ended: "),
    Column("hands", right=True, drop=2),
    Column("decisions", right=True, drop=1),
    Column("faults", right=True, below="faults: "),
)


def _row(game: GameRow) -> tuple[str, ...]:
    return (
        game.id,
        _seats(game),
        game.ended,
        str(game.hands),
        str(game.decisions),
        str(_faults(game) or "-"),
    )


def _faults(game: GameRow) -> int:
    """Return how many faults happened in a game.

    The record of a game that was not played only names the absent bot and the reason; that is no fault. JSON shows the
    record unchanged.
    """
    return 0 if game.ended == WITHDRAWN else game.faults


def _seats(game: GameRow) -> str:
    """Return `greedy 10*, random 4, greedy 10*, random 4`; a star marks each winner."""
    scores = [str(score) for score in game.scores] or ["-"] * len(game.bots)
    stars = ["*" if rank == 1 else "" for rank in game.ranks]
    return ", ".join(f"{bot} {score}{star}" for bot, score, star in zip(game.bots, scores, stars, strict=True))
