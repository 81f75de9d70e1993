"""`bowerbird replay --step`: one picture of the table at a time, moved with keys."""

from __future__ import annotations

import os
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import click

from harness.records.frames import Frame, Place, frames
from harness.records.quoting import shown
from harness.records.record import GameRecord
from harness.records.render import NO_STORIES
from harness.records.words import SIGNS, card_sign

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
"""What the terminal sends for a key -> what it does."""

Test = Callable[[Frame], bool]


def moved(pictures: Sequence[Frame], at: int, move: str) -> int:
    """The place of the picture that a move leads to from `at`; `at` itself where there is none."""
    now = pictures[at]
    if move == "trick":
        return _next(pictures, at, _takes_trick)
    if move == "trick back":
        return _previous(pictures, at, _takes_trick)
    if move == "hand":
        return _next(pictures, at, lambda frame: frame.hand > now.hand)
    if move == "hand back":
        hand = now.hand if now.step else now.hand - 1
        return next((place for place, frame in enumerate(pictures) if frame.hand == hand), at)
    if move == "fault":
        return _next(pictures, at, lambda frame: frame.kind == "fault")
    ends = {"forward": at + 1, "back": at - 1, "first": 0, "last": len(pictures) - 1}
    return max(0, min(len(pictures) - 1, ends.get(move, at)))


def _takes_trick(frame: Frame) -> bool:
    return frame.kind == "action" and frame.winner is not None


def _next(pictures: Sequence[Frame], at: int, test: Test) -> int:
    return next((place for place in range(at + 1, len(pictures)) if test(pictures[place])), at)


def _previous(pictures: Sequence[Frame], at: int, test: Test) -> int:
    return next((place for place in range(at - 1, -1, -1) if test(pictures[place])), at)


def step_through(
    record: GameRecord, *, hand: int | None, seat: int | None, stories: Mapping[int, Sequence[str]] = NO_STORIES
) -> None:
    """Show the game on the terminal, from its first step or that of `hand`, until the user has had enough.

    `stories` are lines to be shown with a fault, by its seat. With `seat` what that seat knew. Raises RecordError where
    the play is not allowed, before anything is shown.
    """
    pictures = list(frames(record, seat))
    if not pictures:
        reasons = ", ".join(f"seat {fault.seat} {fault.kind}" for fault in record.faults)
        click.echo(f"game {shown(record.id)} was not played: {reasons}")
        for line in (line for fault in record.faults for line in stories.get(fault.seat, ())):
            click.echo(f"  {line}")
        return
    at = next((place for place, frame in enumerate(pictures) if frame.hand == (hand or 0)), 0)
    with _keys() as keys:
        while True:
            click.echo(CLEAR + "\r\n".join(picture_lines(record, pictures, at, seat, stories)), nl=False)
            move = KEYS.get(next(keys, "q"), "")
            if move == "quit":
                break
            at = moved(pictures, at, move)
    click.echo("")


@contextmanager
def _keys() -> Iterator[Iterator[str]]:
    """The keys as they are pressed, without echo; the terminal is as before afterwards, whatever happens."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield _pressed(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _pressed(descriptor: int) -> Iterator[str]:
    """One key after the other: a terminal sends those without a letter as a sequence, all at once."""
    while sent := os.read(descriptor, 64).decode(errors="replace"):
        while sent:
            key = next((key for key in sorted(KEYS, key=len, reverse=True) if sent.startswith(key)), sent[0])
            yield key
            sent = sent[len(key) :]


# The picture in lines


def picture_lines(
    record: GameRecord,
    pictures: Sequence[Frame],
    at: int,
    seat: int | None,
    stories: Mapping[int, Sequence[str]] = NO_STORIES,
) -> list[str]:
    """The picture at this place as lines for a terminal, with colours; at a fault with its story."""
    frame = pictures[at]
    trump = f"trump {_coloured(SIGNS[frame.trump])}" if frame.trump else "no trump named yet"
    maker = "" if frame.maker is None else f", maker seat {frame.maker}"
    terms = ", ".join(part for part in (f"contract {frame.contract}" if frame.contract else "", frame.how) if part)
    eyes = "" if seat is None else f" · what seat {seat} knew"
    return [
        click.style(f"{record.variant} · {shown(record.id)}{eyes}", bold=True),
        f"hand {frame.hand} · step {frame.step} · {trump}{maker}{f' ({terms})' if terms else ''}{_upcard(frame)}",
        "",
        *(_seat_line(record, frame, number) for number in range(len(frame.places))),
        *(f"  {pile.name}: {_cards(pile.cards) or _backs(pile.number)}" for pile in frame.piles),
        "",
        f"  trick {frame.trick_number + 1}  {_trick(frame)}" if frame.trick else "",
        "",
        _said(frame),
        *(f"    {line}" for line in (stories.get(frame.fault.seat, ()) if frame.fault else ())),
        click.style(f"  could choose: {', '.join(map(_token, frame.legal))}", dim=True) if frame.legal else "",
        "",
        click.style(f"{at + 1} of {len(pictures)} · {HELP}", dim=True),
    ]


def _seat_line(record: GameRecord, frame: Frame, number: int) -> str:
    place = frame.places[number]
    mark = "▸" if frame.actor == number else " "
    roles = "".join(letter for letter, who in (("D", frame.dealer), ("M", frame.maker)) if who == number)
    name = f"{mark} {number} {shown(record.seats[number].bot):<14.14} {roles:<2}"
    games = "" if place.games is None else f" games {place.games}"
    numbers = f" score {place.score:>3}{games} tricks {place.tricks}  "
    line = f"{name}{numbers}{_hand(place)}"
    return line if place.active else click.style(f"{click.unstyle(line)}  (out)", dim=True)


def _hand(place: Place) -> str:
    parts = [_cards(place.cards), _backs(place.hidden)]
    if place.laid or place.covered:
        parts.append(f"on the table {_cards(place.laid)} {_backs(place.covered)}")
    if place.put_away:
        parts.append(click.style(f"put away {click.unstyle(_cards(place.put_away))}", dim=True))
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
