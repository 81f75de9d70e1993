"""Starts and ends of the hostile bot: before, with and after its Hello, by the name of its mode."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.support.bots.hostile_stream import Stream, wait_for_ever

UNBORN_STATUS = 7


def _nothing() -> None:
    pass


def _hello_and_ready(stream: Stream, events: bool) -> None:
    stream.hello(wants_events=events)
    stream.ready()


@dataclass(frozen=True)
class Start:
    """What a mode does: `before` it connects, `greet` with its first messages, `after` the stream has ended."""

    before: Callable[[], None] = _nothing
    greet: Callable[[Stream, bool], None] = _hello_and_ready
    after: Callable[[], None] = _nothing


def unborn() -> None:
    print("no model found, giving up", file=sys.stderr)
    sys.exit(UNBORN_STATUS)


def unborn_unless_first() -> None:
    """Exit at once if a process of this bot was started before."""
    try:
        Path(os.environ["ONCE"]).mkdir()
    except FileExistsError:
        unborn()


def fail_twice() -> None:
    """Exit at once in the first two processes of this bot. Each makes a folder beside the environment's ONCE."""
    for number in (1, 2):
        try:
            Path(f"{os.environ['ONCE']}-{number}").mkdir()
        except FileExistsError:
            continue
        unborn()


def exit_at_once() -> None:
    sys.exit("no such model: queen of spades")


def leave_a_child() -> None:
    print(subprocess.Popen(["sleep", "600"]).pid, flush=True)


def make_noise() -> None:
    threading.Thread(target=lambda: [print("noise " * 99) for _ in range(5000)], daemon=True).start()


LOUD = 100_000_000
LAST_WORD = "and that is all"


def shout() -> None:
    """Write 100 MB to stdout and as much to stderr before anything else."""
    line = b"x" * 99 + b"\n"
    for number in (1, 2):
        for _ in range(LOUD // len(line) // 10_000):
            _write(number, line * 10_000)
        _write(number, LAST_WORD.encode() + b"\n")


def _write(number: int, data: bytes) -> None:
    while data:
        data = data[os.write(number, data) :]


def never_hello(stream: Stream, events: bool) -> None:
    wait_for_ever()


def never_ready(stream: Stream, events: bool) -> None:
    stream.hello()


def leave_before_ready(stream: Stream, events: bool) -> None:
    stream.hello()
    stream.half_close()
    wait_for_ever()


def garbage_before_ready(stream: Stream, events: bool) -> None:
    stream.hello()
    stream.say(b"\xff\xff\xff\xff")
    stream.ready()


def wrong_token(stream: Stream, events: bool) -> None:
    stream.hello(token="not it")
    stream.ready()


def speak_version_2(stream: Stream, events: bool) -> None:
    stream.hello(versions=(2,))
    stream.ready()


def ready_first(stream: Stream, events: bool) -> None:
    stream.ready()
    stream.ready()


def one_by_one(stream: Stream, events: bool) -> None:
    stream.hello(batch=1)
    stream.ready()


STARTS: dict[str, Start] = {
    "unborn": Start(unborn),
    "once": Start(unborn_unless_first),
    "exits-for-good": Start(unborn_unless_first),
    "fails-twice": Start(fail_twice),
    "exits-at-once": Start(exit_at_once),
    "never-connects": Start(wait_for_ever),
    "has-children": Start(leave_a_child),
    "noisy": Start(make_noise),
    "shouts": Start(shout),
    "never-hello": Start(greet=never_hello),
    "never-ready": Start(greet=never_ready),
    "leaves-before-ready": Start(greet=leave_before_ready),
    "garbage-before-ready": Start(greet=garbage_before_ready),
    "wrong-token": Start(greet=wrong_token),
    "speaks-2": Start(greet=speak_version_2),
    "ready-first": Start(greet=ready_first),
    "one-by-one": Start(greet=one_by_one),
    "deaf": Start(after=wait_for_ever),
}
"""Unusual starts and ends, by mode; in all else such a bot is honest."""
