"""`bowerbird replay ID_or_FILE`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.completion import complete_game
from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.loaded_record import load_record
from bowerbird.harness.cli.shared.options import examples, number_option, output_option, result_options
from bowerbird.harness.cli.shared.output import note, print_json, print_lines
from bowerbird.harness.cli.shared.voided import VoidedRecord, voided_option, voided_record
from bowerbird.harness.extensions import offered, offers

if TYPE_CHECKING:
    from bowerbird.harness.records.notation import ForeignGame, Notation
    from bowerbird.harness.records.values.annotations import Note
    from bowerbird.harness.records.values.game_record import GameRecord
    from bowerbird.harness.records.values.query_results import FaultRow


@click.command(
    "replay", epilog=examples("replay 4f1c9a/euchre-0/greedy+random/0/0 --hand 0", "replay game.toml --step")
)
@click.argument("game", metavar="ID_OR_FILE", shell_complete=complete_game)
@number_option("--hand", click.IntRange(min=0), "Show only this hand. The first is 0.")
@number_option(
    "--seat",
    click.IntRange(min=0),
    "Show only what this seat knew. The first is 0. This hides bots' output, the details of other seats' faults, "
    "and all notes except its own, or all if its process played several seats.",
)
@click.option("--step", is_flag=True, help="Step through the game in the terminal.")
@voided_option
@output_option(
    "Write a page for the browser to this file, such as game.html. With --seat it shows only what that seat knew."
)
@result_options
def command(
    *,
    game: str,
    hand: int | None,
    seat: int | None,
    step: bool,
    correction: int | None,
    output: Path | None,
    db: Path,
    as_json: bool,
) -> None:
    """Show a recorded game step by step. The engine checks every action before it is shown.

    ID_OR_FILE is a game's id, the start of one, or the file of an exported record. 'bowerbird matches' lists the ids.
    With --voided it is the id of a voided game. It can also be an EGN file, or the id that 'bowerbird import' gave it;
    if cards are missing there, the replay stops where they are needed.
    """
    voided = None if correction is None else _load_voided(game, correction, db)
    foreign = _load_foreign(game, db)
    if foreign is not None and foreign.record is None:
        _show_partial(
            foreign, hand, refused={"--seat": seat is not None, "--step": step, "-o": output, "--json": as_json}
        )
        return
    record = foreign.record if foreign is not None else load_record(game, db) if voided is None else voided.record
    assert record is not None, "a partial game was shown above"
    _check_numbers(record, hand, seat)
    stories = _stories(game, record, db, seat) if voided is None else _seen(voided.faults, seat)
    notes = _notes(game, record, db, seat) if voided is None else _seen_notes(record, voided.notes, seat)
    remark = foreign.remark if foreign is not None else "" if voided is None else _remark(voided)
    if output is not None:
        _write_page(record, seat, stories, notes, output=output, remark=remark, db=db)
        return
    from bowerbird.harness.cli.display.faults import diagnostics_lines

    lines = {fault.seat: diagnostics_lines(fault, db.parent) for fault in stories}
    if step:
        _step_through(record, hand, seat, lines, notes=notes, remark=remark)
        return
    if as_json:
        from bowerbird.harness.records.replay.visibility import seen_fault

        steps = list(_steps(record, hand, seat))
        faults = [seen_fault(fault, seat) for fault in record.faults]
        result = record.result
        document = {
            "game": record.id,
            "steps": steps,
            "faults": faults,
            "stories": stories,
            "notes": [note for note in notes if hand is None or note.hand == hand],
            "result": result,
        }
        print_json(document if voided is None else {**document, "voided": _voided_document(voided)})
        return
    from bowerbird.harness.records.replay.render import PLAIN, SUITS, render

    unicode = sys.stdout.isatty() and (sys.stdout.encoding or "").lower().startswith("utf")
    print_lines([remark, ""] if remark else [])
    print_lines(render(record, seat=seat, hand=hand, style=SUITS if unicode else PLAIN, stories=lines, notes=notes))


def _load_foreign(game: str, db: Path) -> ForeignGame | None:
    """Return the game that `game` names if it is in another notation; None if it is a record. Raises InputError."""
    from bowerbird.harness.records.notation import NotationError

    if Path(game).suffix[1:] in offered("match") and Path(game).is_file():
        raise InputError(f"{game} is a match: import it with 'bowerbird import {game}', then replay one of its games")
    notations: list[Notation] = [*offers("notation")]
    for notation in notations:
        path = notation.found(game, db)
        if path is not None:
            try:
                return notation.read_file(path)
            except NotationError as error:
                raise InputError(str(error)) from error
    return None


def _show_partial(game: ForeignGame, hand: int | None, refused: Mapping[str, object]) -> None:
    """Show a game with unknown cards. Raises InputError if an option needs a complete game."""
    for option, given in refused.items():
        if given:
            raise InputError(f"{game.id} is partial and can only be shown as text ({game.missing}); leave out {option}")
    if hand is not None and hand >= game.deals:
        raise InputError(f"{game.id} has {game.deals} deals, and the first one is 0; there is no deal {hand}")
    print_lines(game.lines(hand))


def _remark(voided: VoidedRecord) -> str:
    from bowerbird.harness.cli.display.corrections import voided_line

    return voided_line(voided.correction)


def _voided_document(voided: VoidedRecord) -> dict[str, object]:
    """Return the correction that took the game out of the results, and its reason, for JSON."""
    one = voided.correction
    return {
        "correction": one.number,
        "kind": one.kind,
        "bot": one.bot,
        "by": one.by,
        "why": one.why,
        "saved": one.saved,
    }


def _write_page(
    record: GameRecord,
    seat: int | None,
    stories: Sequence[FaultRow],
    notes: Sequence[Note],
    *,
    output: Path,
    remark: str,
    db: Path,
) -> None:
    from bowerbird.harness.cli.shared.marks import marks_of
    from bowerbird.harness.records.store.atomic_file import replacing
    from bowerbird.harness.report.replay_page import replay_page

    with marks_of(db) as marks:
        page = replay_page(record, seat, stories, remark, notes, marks(record))
    with replacing(output) as file:
        file.write(page.encode())
    note(f"written: {output}")


def _step_through(
    record: GameRecord,
    hand: int | None,
    seat: int | None,
    stories: Mapping[int, Sequence[str]],
    *,
    notes: Sequence[Note],
    remark: str,
) -> None:
    """Step through the game. Raises InputError if stdin or stdout is not a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError("--step needs a terminal; leave it out to print the whole game")
    from bowerbird.harness.cli.display.stepper import step_through

    step_through(record, hand=hand, seat=seat, stories=stories, notes=notes, remark=remark)


def _load_voided(game: str, correction: int, db: Path) -> VoidedRecord:
    """Return a stored game that a correction took out of the results."""
    if Path(game).is_file():
        raise InputError(f"{game} is a file; --voided {correction} belongs to the id of a game in the database")
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        return voided_record(store, game, correction)


def _stories(game: str, record: GameRecord, db: Path, seat: int | None) -> list[FaultRow]:
    """Return what `seat` may know of the stories of a stored game's faults. A record in a file has no stories."""
    if not record.faults or Path(game).is_file():
        return []
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        return _seen(store.faults_of(record.id), seat)


def _seen(faults: Sequence[FaultRow], seat: int | None) -> list[FaultRow]:
    """Return what `seat` may know of the stories of these faults."""
    from bowerbird.harness.records.replay.visibility import seen_story

    return [seen for fault in faults if (seen := seen_story(fault, seat)) is not None]


def _notes(game: str, record: GameRecord, db: Path, seat: int | None) -> tuple[Note, ...]:
    """Return those notes of a stored game's bots that `seat` may know. A record in a file has no notes."""
    if not db.is_file() or Path(game).is_file():
        return ()
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        return _seen_notes(record, store.notes(record.id), seat)


def _seen_notes(record: GameRecord, notes: Sequence[Note], seat: int | None) -> tuple[Note, ...]:
    """Return the notes that `seat` may know."""
    from bowerbird.harness.records.replay.visibility import seen_notes

    return seen_notes(record, notes, seat)


def _check_numbers(record: GameRecord, hand: int | None, seat: int | None) -> None:
    for what, number, count in (("hand", hand, len(record.hands)), ("seat", seat, len(record.seats))):
        if number is not None and number >= count:
            raise InputError(f"game {record.id} has {count} {what}s, 0 to {count - 1}; there is no {what} {number}")


def _steps(record: GameRecord, hand: int | None, seat: int | None) -> Iterator[dict[str, object]]:
    """Yield the steps for JSON; with `seat`, only that seat's view before each action.

    Another seat's action appears in the history of the next view, in its public form.
    """
    from bowerbird.harness.records.replay.replay import replay

    for step in replay(record):
        if hand is not None and step.hand != hand:
            continue
        if seat is None:
            yield {
                "hand": step.hand,
                "action": step.index,
                "seat": step.seat,
                "token": step.token,
                "legal": [str(action) for action in step.legal],
                "forced": step.forced,
                "substituted": step.substituted,
                "ms": step.ms,
                "fault": step.fault,
            }
            continue
        view = step.before.view(seat)
        if view.actor is not None:  # None if only another seat may see the decision
            mine = {"token": step.token} if step.seat == seat else {}
            yield {"view": view.fields(), **mine}
