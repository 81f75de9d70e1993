"""Plays the bot that tries to talk to itself (`tests.support.bots.channel_bot`), and counts what got through."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import statistics
import sys
import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.paths import ROOT
from tests.support.referee.tables import bot, conditions, play, table

FILE_BYTES = 16 << 20
SMALL_FILES = 400
HANDS_A_TABLE = 8


@dataclass(frozen=True)
class Heard:
    """How many bits of a channel the partner guessed right, and how long a bit took to send and to hear."""

    channel: str
    right: int
    of: int
    bit_s: float

    @property
    def bits_per_s(self) -> float:
        """The capacity of a channel with this share of errors, at this speed; 0 for what guessing explains."""
        if self.is_guessing:
            return 0.0
        wrong = min(max(1 - self.right / self.of, 0.5 / self.of), 1 - 0.5 / self.of)
        entropy = -wrong * math.log2(wrong) - (1 - wrong) * math.log2(1 - wrong)
        return (1 - entropy) / self.bit_s

    @property
    def is_guessing(self) -> bool:
        """Whether the count lies within the 99% interval of guessing."""
        return abs(self.right - self.of / 2) <= 2.576 * math.sqrt(self.of) / 2 + 0.5


def listen(channels: Sequence[str], hands: int, folder: Path, tier: str) -> list[Heard]:
    """Play about `hands` hands of two seats of one bot beside honest bots; return what each channel carried."""
    own, shared = folder / "own", folder / "shared"
    for place in (own, shared):
        (place / "small").mkdir(parents=True)
        for number in range(SMALL_FILES):
            (place / "small" / str(number)).write_text("x")
        _write_cold(place / "pages")
    talker = dataclasses.replace(
        bot("talker", command=(sys.executable, str(ROOT / "tests" / "support" / "bots" / "channel_bot.py")), tables=1),
        source=own,
        cwd=own,
        read=(shared, ROOT / "tests" / "support" / "bots"),
        environment={
            "PYTHONPATH": str(ROOT),
            "CHANNELS": ",".join(channels),
            "OWN_FILE": str(own / "pages"),
            "SHARED_FILE": str(shared / "pages"),
            "MARK": uuid.uuid4().hex,
        },
    )
    seats = ["talker", "good", "talker", "good"]
    tables = [table(seats, number, max_hands=HANDS_A_TABLE) for number in range(-(-hands // HANDS_A_TABLE))]
    play(tables, [talker, bot("good")], folder, made=conditions(isolation=tier), slots=1, tables=1)
    return _count(folder, channels)


def _write_cold(path: Path) -> None:
    """Write a file, then put its pages out of memory."""
    path.write_bytes(os.urandom(FILE_BYTES))
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _count(folder: Path, channels: Sequence[str]) -> list[Heard]:
    said: dict[tuple[str, int], int] = {}
    heard: dict[tuple[str, int], int] = {}
    times: dict[str, list[float]] = defaultdict(list)
    for log in sorted(folder.glob("*.log")):
        for line in log.read_text().splitlines():
            if line.startswith('{"channel"'):
                told: dict[str, Any] = json.loads(line)
                key = told["channel"], told["hand"]
                times[told["channel"]].append(told["s"])
                if "said" in told:
                    said[key] = told["said"]
                else:
                    heard[key] = told["heard"]
    both = said.keys() & heard.keys()
    return [
        Heard(
            one,
            sum(said[key] == heard[key] for key in both if key[0] == one),
            sum(key[0] == one for key in both),
            2 * statistics.mean(times[one]) if times[one] else math.inf,
        )
        for one in channels
    ]
