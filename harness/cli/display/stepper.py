"""`bowerbird replay --step`: shows a game on the terminal one frame at a time, controlled by keys."""

from __future__ import annotations

import os
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType

import click

from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.replay.frames import Frame, SeatFrame, frames
from bowerbird.harness.records.replay.note_check import notes_by_step
from bowerbird.harness.records.replay.render import NO_STORIES
from bowerbird.harness.records.replay.words import SIGNS, card_sign
from bowerbird.harness.records.values.annotations import Note
from bowerbird.harness.records.values.game_record import GameRecord

HELP = "→ ← step · t T trick · h H hand · f fault · home end · q quit"
CLEAR = "\x1b[H\x1b[2J"

KEYS = {
    "\x1b[C": "forward",
    "\x1bOC": "forward",
    " ": "forward",
    "l": "forward",
    "\r": "forward",
    "\n": "forward",
    "\x1b[D": "back",
    "\x1bOD": "back",
    "\x7f": "back",
    "k": "back",
    "t": "trick",
    "\x1b[B": "trick",
    "\x1bOB": "trick",
    "T": "trick back",
    "\x1b[A": "trick back",
    "\x1bOA": "trick back",
    "h": "hand",
    "\x1b[6~": "hand",
    "H": "hand back",
    "\x1b[5~": "hand back",
    "f": "fault",
    "\x1b[H": "first",
    "\x1b[1~": "first",
    "\x1b[F": "last",
    "\x1b[4~": "last",
    "q": "quit",
    "\x04": "quit",
    "\x1b": "quit",
}
"""Maps the characters that the terminal sends for a key to the key's move."""

Condition = Callable[[Frame], bool]

NO_NOTES: Mapping[tuple[int, int], str] = MappingProxyType({})


def index_after(all_frames: Sequence[Frame], at: int, move: str) -> int:
    """Return the index of the frame after a move from index `at`; `at` itself if there is no such frame."""
    now = all_frames[at]
    if move == "trick":
        return _next(all_frames, at, _takes_trick)
    if move == "trick back":
        return _previous(all_frames, at, _takes_trick)
    if move == "hand":
        return _next(all_frames, at, lambda frame: frame.hand > now.hand)
    if move == "hand back":
        hand = now.hand if now.step else now.hand - 1
        return next((place for place, frame in enumerate(all_frames) if frame.hand == hand), at)
    if move == "fault":
        return _next(all_frames, at, lambda frame: frame.kind == "fault")
    ends = {"forward": at + 1, "back": at - 1, "first": 0, "last": len(all_frames) - 1}
    return max(0, min(len(all_frames) - 1, ends.get(move, at)))


def _takes_trick(frame: Frame) -> bool:
    return frame.kind == "action" and frame.winner is not None


def _next(all_frames: Sequence[Frame], at: int, condition: Condition) -> int:
    return next((place for place in range(at + 1, len(all_frames)) if condition(all_frames[place])), at)


def _previous(all_frames: Sequence[Frame], at: int, condition: Condition) -> int:
    return next((place for place in range(at - 1, -1, -1) if condition(all_frames[place])), at)


def step_through(
    record: GameRecord,
    *,
    hand: int | None,
    seat: int | None,
    stories: Mapping[int, Sequence[str]] = NO_STORIES,
    notes: Sequence[Note] = (),
    remark: str = "",
) -> None:
    """Show a game on the terminal until the user quits.

    hand: the hand to start at; None for the first.
    seat: show only what this seat knew; None for everything.
    stories: lines to show with a fault, by seat.
    notes: the bots' notes, shown with their actions.
    remark: a line shown above every step; "" for none.

    Raises RecordError, before anything is shown, if an action of the record is illegal.
    """
    all_frames = list(frames(record, seat))
    if not all_frames:
        reasons = ", ".join(f"seat {fault.seat} {fault.kind}" for fault in record.faults)
        for line in [shown(remark)] if remark else []:
            click.echo(line)
        click.echo(f"game {shown(record.id)} was not played: {reasons}")
        for line in (line for fault in record.faults for line in stories.get(fault.seat, ())):
            click.echo(f"  {line}")
        return
    at = next((place for place, frame in enumerate(all_frames) if frame.hand == (hand or 0)), 0)
    above = [shown(remark)] if remark else []
    noted = notes_by_step(record, all_frames, notes)
    with _keys() as keys:
        while True:
            lines = [*above, *frame_lines(record, all_frames, at, seat, stories, noted=noted)]
            click.echo(CLEAR + "\r\n".join(lines), nl=False)
            move = KEYS.get(next(keys, "q"), "")
            if move == "quit":
                break
            at = index_after(all_frames, at, move)
    click.echo("")


@contextmanager
def _keys() -> Iterator[Iterator[str]]:
    """Yield keys as they are pressed, without echo. Restore the terminal at the end."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield _pressed(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _pressed(descriptor: int) -> Iterator[str]:
    """Yield single keys. For keys such as the arrows, a terminal sends several characters at once."""
    while sent := os.read(descriptor, 64).decode(errors="replace"):
        while sent:
            key = next((key for key in sorted(KEYS, key=len, reverse=True) if sent.startswith(key)), sent[0])
            yield key
            sent = sent[len(key) :]


# Lines of a frame


def frame_lines(
    record: GameRecord,
    all_frames: Sequence[Frame],
    at: int,
    seat: int | None,
    stories: Mapping[int, Sequence[str]] = NO_STORIES,
    *,
    noted: Mapping[tuple[int, int], str] = NO_NOTES,
) -> list[str]:
    """Return the frame at index `at` as coloured lines.

    A fault is followed by the story of its seat, and an action by the bot's note (`noted`, by hand and step).
    """
    frame = all_frames[at]
    trump = f"trump {_coloured(SIGNS[frame.trump])}" if frame.trump else "no trump named yet"
    maker = "" if frame.maker is None else f", maker seat {frame.maker}"
    terms = ", ".join(part for part in (f"contract {frame.contract}" if frame.contract else "", frame.how) if part)
    eyes = "" if seat is None else f" · what seat {seat} knew"
    return [
        click.style(f"{record.variant} · {shown(record.id)}{eyes}", bold=True),
        f"hand {frame.hand} · step {frame.step} · {trump}{maker}{f' ({terms})' if terms else ''}{_upcard(frame)}",
        "",
        *(_seat_line(record, frame, number) for number in range(len(frame.seats))),
        *(f"  {pile.name}: {_cards(pile.cards) or _backs(pile.number)}" for pile in frame.piles),
        "",
        f"  trick {frame.trick_number + 1}  {_trick(frame)}" if frame.trick else "",
        "",
        _said(frame),
        *(f"    {line}" for line in (stories.get(frame.fault.seat, ()) if frame.fault else ())),
        *(f"    note: {shown(noted[place])}" for place in [(frame.hand, frame.step)] if place in noted),
        click.style(f"  could choose: {', '.join(map(_token, frame.legal))}", dim=True) if frame.legal else "",
        "",
        click.style(f"{at + 1} of {len(all_frames)} · {HELP}", dim=True),
    ]


def _seat_line(record: GameRecord, frame: Frame, number: int) -> str:
    seat = frame.seats[number]
    mark = "▸" if frame.actor == number else " "
    roles = "".join(letter for letter, who in (("D", frame.dealer), ("M", frame.maker)) if who == number)
    name = f"{mark} {number} {shown(record.seats[number].bot):<14.14} {roles:<2}"
    games = "" if seat.games is None else f" games {seat.games}"
    numbers = f" score {seat.score:>3}{games} tricks {seat.tricks}  "
    line = f"{name}{numbers}{_hand(seat)}"
    return line if seat.active else click.style(f"{click.unstyle(line)}  (out)", dim=True)


def _hand(seat: SeatFrame) -> str:
    parts = [_cards(seat.cards), _backs(seat.hidden)]
    if seat.laid or seat.covered:
        parts.append(f"on the table {_cards(seat.laid)} {_backs(seat.covered)}")
    if seat.put_away:
        parts.append(click.style(f"put away {click.unstyle(_cards(seat.put_away))}", dim=True))
    return "  ".join(part for part in parts if part)


def _upcard(frame: Frame) -> str:
    if not frame.upcard or frame.upcard_place == "out":
        return ""
    return f" · upcard {_coloured(card_sign(frame.upcard))} {frame.upcard_place}"


def _trick(frame: Frame) -> str:
    cards = "   ".join(f"{seat} {_coloured(card_sign(card))}" for seat, card in frame.trick)
    return cards + (click.style(f"   won by {frame.winner}", bold=True) if frame.winner is not None else "")


def _said(frame: Frame) -> str:
    said = shown(frame.said)
    if frame.kind == "fault":
        return click.style(f"  ⚠ {said}", fg="red", bold=True)
    note = " (chosen by the referee)" if frame.substituted else " (no choice)" if frame.forced else ""
    time = f", {frame.ms} ms" if frame.ms else ""
    return click.style(f"  {said}", bold=True) + click.style(f"{note}{time}", fg="red" if frame.substituted else None)


def _token(token: str) -> str:
    return " ".join(card_sign(word) if _is_card(word) else SIGNS.get(word, word) for word in token.split(" "))


def _is_card(word: str) -> bool:
    return len(word) == 2 and (word[0] == "X" or word[1] in "shdc")


def _cards(cards: Sequence[str]) -> str:
    return " ".join(_coloured(card_sign(card)) for card in cards)


def _backs(number: int) -> str:
    return click.style(" ".join("▒" * number), fg="blue") if number else ""


def _coloured(text: str) -> str:
    return click.style(text, fg="red") if "♥" in text or "♦" in text else text
