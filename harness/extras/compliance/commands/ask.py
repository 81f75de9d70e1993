"""`bowerbird ask GAME BOT`."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.display.faults import printable, process_lines
from bowerbird.harness.cli.shared import options
from bowerbird.harness.cli.shared.completion import complete_game
from bowerbird.harness.cli.shared.loaded_record import load_record
from bowerbird.harness.cli.shared.output import Column, output_width, plain_fields, print_json, print_lines, table

if TYPE_CHECKING:
    from bowerbird.engine import SeatView
    from bowerbird.harness.extras.compliance.asking.asking import Answer, Answers
    from bowerbird.harness.extras.compliance.config import CheckConfig
    from bowerbird.harness.records.replay.positions import Position
    from bowerbird.harness.records.text.positions_file import SavedPosition
    from bowerbird.harness.records.values.game_record import GameRecord


LEAST_TIMEOUT_S = 10.0
"""The minimum time limit for an answer, unless --timeout sets one."""


@click.command(
    "ask",
    epilog=options.examples(
        "ask 4f1c9a/euchre-0/greedy+random/0/0 ./mybot --hand 2 --step 7",
        "ask game.toml ./mybot --step 7 --times 20",
        "ask game.toml ./mybot --step 7 --pdb",
        "ask positions.json ./mybot",
    ),
)
@click.argument("game", metavar="ID_OR_FILE", shell_complete=complete_game)
@click.argument("bot", metavar="BOT", shell_complete=options.complete_bot)
@options.number_option(
    "--hand", click.IntRange(min=0), "The hand of the decision. The first is 0. Without --step, list its decisions."
)
@options.number_option(
    "--step",
    click.IntRange(min=0),
    'How many actions of the hand come before the decision: 4 for "hand 0, action 4" in a fault\'s story. By default '
    "the decision of the game's first fault.",
)
@click.option(
    "--from-start",
    is_flag=True,
    help="First ask for the seat's earlier decisions in the game. Use it for a bot with a memory.",
)
@options.number_option("--times", click.IntRange(min=1), "Ask this many times, each at a new table.", default=1)
@click.option("--seed", default="1", show_default=True, metavar="TEXT", help="The seed of the bot's random numbers.")
@click.option("--exact", is_flag=True, help="Also fail if an answer differs from the recorded one.")
@click.option(
    "--pdb",
    "debugger",
    is_flag=True,
    help="Stop in Python's debugger where the bot decides. The bot runs without isolation.",
)
@options.number_option(
    "--timeout",
    click.FloatRange(min=0.1, max=3600),
    "The time limit for an answer. By default the time on the recorded clock, and at least 10 s.",
    metavar="SECONDS",
)
@options.startup_option
@options.isolation_option
@options.db_option
@options.json_option
@options.debug_option
def command(
    game: str,
    bot: str,
    *,
    hand: int | None,
    step: int | None,
    from_start: bool,
    times: int,
    seed: str,
    exact: bool,
    debugger: bool,
    timeout: float | None,
    startup: float,
    isolation: str | None,
    db: Path,
    as_json: bool,
) -> None:
    """Ask a bot for one decision of a recorded game, and compare it with the recorded one.

    ID_OR_FILE is a game, as for 'bowerbird replay'. BOT takes the seat that had to decide and sees what that seat saw.
    Exits with 0 if every answer is legal; with --exact, only if it is the recorded one.

    ID_OR_FILE may also be a file of positions from 'bowerbird analyse --export'. The bot is asked about each in turn.
    """
    from bowerbird.harness.cli.shared.errors import ExitCode
    from bowerbird.harness.extras.compliance.config import Timeouts, check_config

    if debugger and (as_json or times > 1 or exact):
        raise click.UsageError("--pdb asks once and compares nothing: leave out --json, --times and --exact")

    def config_for(record: GameRecord) -> CheckConfig:
        seconds = max(LEAST_TIMEOUT_S, _clock_s(record)) if timeout is None else timeout
        return check_config(bot, "none" if debugger else isolation, Timeouts(startup=startup, answer=seconds))

    if _is_positions_file(Path(game)):
        if debugger or exact or times > 1 or hand is not None or step is not None:
            raise click.UsageError(
                "a file of positions names its decisions, and each is asked once; leave out --hand, --step, --times, "
                "--exact and --pdb"
            )
        if not _ask_positions(Path(game), config_for, seed, from_start=from_start, as_json=as_json):
            raise click.exceptions.Exit(ExitCode.FAILED)
        return
    record = load_record(game, db)
    if hand is not None and step is None:
        if debugger or exact or from_start or times > 1:
            raise click.UsageError(f"choose one with --step; 'bowerbird ask GAME BOT --hand {hand}' lists them")
        _list_decisions(record, hand, as_json=as_json)
        return
    position = _position(record, hand, step)
    config = config_for(record)
    if not as_json:
        print_lines(_position_lines(record, position))
    if debugger:
        passed = _debug(config, record, position, seed, from_start)
    else:
        from bowerbird.harness.extras.compliance.asking.asking import Asking, ask

        answers = ask(config, record, position, Asking(times, seed, from_start))
        passed = answers.is_exact if exact else answers.is_legal
        if as_json:
            print_json({**_fields(record, position), **_bot_fields(config, answers), "passed": passed})
        else:
            print_lines(_answer_lines(config, position, answers))
    if not passed:
        raise click.exceptions.Exit(ExitCode.FAILED)


def _is_positions_file(path: Path) -> bool:
    from bowerbird.harness.records.text.positions_file import is_positions_file

    return path.is_file() and is_positions_file(path)


def _ask_positions(
    path: Path, config_for: Callable[[GameRecord], CheckConfig], seed: str, *, from_start: bool, as_json: bool
) -> bool:
    """Ask the bot for every decision of a file, print its answers, and return whether all were legal actions.

    Raises InputError if a record of the file is damaged or lacks the decision.
    """
    from bowerbird.engine import RecordError, counted
    from bowerbird.harness.cli.shared.errors import InputError
    from bowerbird.harness.extras.compliance.asking.asking import Asking, ask
    from bowerbird.harness.records.replay.positions import position_at
    from bowerbird.harness.records.text.positions_file import read_positions
    from bowerbird.harness.records.text.reader import read

    documents: list[dict[str, object]] = []
    counts: Counter[str] = Counter()
    saved = read_positions(path)
    for number, one in enumerate(saved, start=1):
        try:
            record = read(one.record)
            position = position_at(record, one.hand, one.step)
        except RecordError as error:
            raise InputError(f"{path}: position {number}: {error}") from error
        answers = ask(config_for(record), record, position, Asking(1, seed, from_start))
        token = answers.answers[0].token if answers.answers else ""
        said = "failed" if not answers.is_legal else "better" if token == one.better else "other"
        said = "recorded" if answers.is_exact else said
        counts[said] += 1
        documents.append(
            {"game": record.id, "hand": one.hand, "step": one.step, "recorded": position.recorded}
            | {"better": one.better, "remark": one.remark, "answer": token, "failure": answers.failure}
        )
        if not as_json:
            where = f"{printable(record.id)}, hand {one.hand}, step {one.step}"
            print_lines(
                [f"{number:>3}  {where}: {printable(one.remark)}", f"     {_short_answer(said, token, one, position)}"]
            )
    if as_json:
        print_json({"positions": documents, "passed": not counts["failed"]})
    else:
        print_lines(
            [
                f"{counted(len(saved), 'position')}: {counts['better']} as the better action, {counts['recorded']} as "
                f"recorded, {counts['other']} otherwise, {counts['failed']} without a legal answer"
            ]
        )
    return not counts["failed"]


def _short_answer(said: str, token: str, one: SavedPosition, position: Position) -> str:
    if said == "failed":
        return "no legal answer"
    better = f"; better {printable(one.better)}" if one.better and said != "better" else ""
    words = {"better": "the better action", "recorded": "as recorded", "other": f"recorded {position.recorded}"}
    return f"{token} ({words[said]}{better})"


def _position(record: GameRecord, hand: int | None, step: int | None) -> Position:
    """Return the decision that the user chose. Raises UsageError, or ReplayError if there is none."""
    from bowerbird.harness.records.replay.positions import position_at

    if step is not None:
        return position_at(record, hand or 0, step)
    if not record.faults or not record.hands:
        raise click.UsageError(
            f"name the decision with --hand and --step (--hand alone lists a hand's decisions): game {record.id} has "
            "no fault to go to"
        )
    fault = record.faults[0]
    return position_at(record, fault.hand, fault.action)


def _list_decisions(record: GameRecord, hand: int, *, as_json: bool) -> None:
    """Print the decisions of a hand for which a bot can be asked. Raises ReplayError if there is no such hand."""
    from bowerbird.harness.records.replay.positions import decisions_of

    found = decisions_of(record, hand)
    views = [one.game.view(one.seat) for one in found]
    if as_json:
        print_json(
            [
                {
                    "step": one.step,
                    "seat": one.seat,
                    "bot": record.seats[one.seat].bot,
                    "stage": view.stage,
                    "choices": len(view.legal),
                    "recorded": one.recorded,
                }
                for one, view in zip(found, views, strict=True)
            ]
        )
        return
    columns = (
        *(Column(title, right=True) for title in ("step", "seat")),
        Column("bot", cut=True),
        Column("to"),
        Column("choices", right=True),
        Column("recorded"),
    )
    rows = [
        (str(one.step), str(one.seat), record.seats[one.seat].bot, view.stage, str(len(view.legal)), _recorded(one))
        for one, view in zip(found, views, strict=True)
    ]
    print_lines([f"hand {hand}: these decisions can be asked for with --step", *table(columns, rows, output_width())])


def _clock_s(record: GameRecord) -> float:
    return min(3600.0, max(time.per_decision_ms + time.bank_ms for time in record.clocks) / 1000)


def _debug(config: CheckConfig, record: GameRecord, position: Position, seed: str, from_start: bool) -> bool:
    """Let the user debug the bot. Return whether it chose a legal action. Raises InputError for other languages."""
    from bowerbird.harness.cli.shared.errors import InputError
    from bowerbird.harness.extras.compliance.asking.debugger import debug, is_python

    if not is_python(config.bot):
        program = printable(Path(config.bot.command[0]).name)
        raise InputError(f"--pdb is only for bots in Python; {config.bot.name} starts {program}")
    return debug(config.bot, record, position, seed=seed, from_start=from_start) == 0


def _position_lines(record: GameRecord, position: Position) -> Iterator[str]:
    seat = position.seat
    return position_lines(position.game.view(seat), printable(record.seats[seat].bot), _recorded(position))


def _recorded(position: Position) -> str:
    """Return a description of the recorded decision."""
    fault = f"{position.fault.kind}, " if position.fault is not None else ""
    if not position.recorded:
        return f"{fault}which ended the game"
    return f"{fault}{position.recorded}{' (by the referee)' if position.substituted else ''}"


def _answer_lines(config: CheckConfig, position: Position, answers: Answers) -> Iterator[str]:
    who = f"{config.bot.name} {config.bot.version}"
    if answers.earlier:
        same = sum(answer.token == answer.recorded for answer in answers.earlier)
        illegal = sum(not answer.is_legal for answer in answers.earlier)
        problem = f", {illegal} without a legal answer" if illegal else ""
        yield f"{who}: {len(answers.earlier)} earlier decisions, {same} as recorded{problem}"
    if len(answers.answers) == 1:
        yield f"{who}: {_said(answers.answers[0])}"
    elif answers.answers:
        yield f"{who}, asked {len(answers.answers)} times:"
        counts = Counter(_choice(answer) for answer in answers.answers)
        for choice, count in counts.most_common():
            yield f"  {count:>4}  {choice}{' (recorded)' if choice == position.recorded else ''}"
        times = sorted(answer.ms for answer in answers.answers)
        yield f"  median {times[len(times) // 2]} ms, longest {times[-1]} ms{_late(answers.answers)}"
    if answers.failure:
        yield f"the bot failed: {printable(answers.failure)}"
        if answers.evidence is not None:
            yield from (f"  {line}" for line in process_lines(answers.evidence.stderr, answers.evidence.ended))


def _choice(answer: Answer) -> str:
    return f"illegal: {printable(answer.illegal)}" if answer.illegal else answer.token


def _said(answer: Answer) -> str:
    from bowerbird.harness.records.values.figures import note_words

    same = "as recorded" if answer.token == answer.recorded else f"recorded: {answer.recorded or 'nothing'}"
    note = f"; note: {printable(note_words(answer.note))}" if answer.note else ""
    return f"{_choice(answer)} after {answer.ms} ms ({same}){_late((answer,))}{note}"


def _late(answers: tuple[Answer, ...]) -> str:
    late = [answer for answer in answers if answer.is_late]
    if not late:
        return ""
    which = "too late" if len(answers) == 1 else f"{len(late)} of them too late"
    return f"; {which} for the recorded clock, which allowed {late[0].limit_ms} ms"


def _fields(record: GameRecord, position: Position) -> dict[str, object]:
    """Return the decision as a value for JSON."""
    view = position.game.view(position.seat)
    return {
        "game": record.id,
        "hand": position.hand,
        "step": position.step,
        "seat": position.seat,
        "view": view.fields(),
        "recorded": position.recorded,
        "substituted": position.substituted,
        "fault": position.fault,
    }


def _bot_fields(config: CheckConfig, answers: Answers) -> dict[str, object]:
    """Return the bot's answers for JSON."""
    return {
        "bot": config.bot.name,
        "version": config.bot.version,
        **plain_fields(answers),
    }


WIDTH = 80
LABEL = 12
"""The width of a line's label, with its indentation."""


def position_lines(view: SeatView, seat_name: str, recorded: str) -> Iterator[str]:
    """Yield the lines: the table, then one line for each fact, in the notation of notation.md.

    view: the view of the seat that decides. seat_name: its bot, made printable. recorded: a description of its recorded
        decision.
    """
    from bowerbird.engine import counted

    yield f"{view.variant}, hand {view.hand_number}: seat {view.seat} ({seat_name}) is to {view.stage}"
    maker = f"maker seat {view.maker}" if view.maker is not None else ""
    contract = f"contract {view.contract}" if view.contract else ""
    lone = f"seat {view.lone_defender} defends alone" if view.lone_defender is not None else ""
    lines = {
        "dealer": f"seat {view.dealer}",
        "scores": " ".join(map(str, view.scores)),
        "upcard": f"{view.upcard} {view.upcard_place}" if view.upcard else "",
        "trump": ", ".join(filter(None, (view.trump or "not fixed", maker, contract, view.how, lone))),
        "tricks": " ".join(map(str, view.tricks_won)) if any(view.tricks_won) else "",
        "so far": ", ".join(f"{event.seat} {event.action}" for event in view.history),
        "trick": "  ".join(f"{seat} {card}" for seat, card in view.trick),
        "hand": " ".join(view.hand),
        "legal": f"{', '.join(map(str, view.legal))} ({counted(len(view.legal), 'action')})",
        "recorded": recorded,
    }
    for name, text in lines.items():
        if text:
            head = f"  {name:<{LABEL - 2}}"
            yield from textwrap.wrap(
                text, WIDTH, initial_indent=head, subsequent_indent=" " * LABEL, break_on_hyphens=False
            )
