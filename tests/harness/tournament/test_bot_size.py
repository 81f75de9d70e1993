"""A bot's folder is measured before it is read, and a long reading is announced or given up."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from bowerbird.harness.extras.cluster.on_worker.bot_archive import pack_bot
from bowerbird.harness.slow_reading import SAID_AFTER_S, SlowReading, saying, within
from bowerbird.harness.tournament.config import bot_size
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.config.bot_size import MOST_BYTES, BotSize
from bowerbird.harness.tournament.config.fingerprint import fingerprint
from bowerbird.harness.tournament.errors import ConfigError, MachinesError
from bowerbird.harness.tournament.preparation.bot_copy import copy_bot_folder

HOLE = 2 << 40
"""Bytes of a file that is one hole."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a Python bot that uses the SDK."""
    made = tmp_path / "ada"
    made.mkdir()
    (made / "bot.py").write_text("from bowerbird.sdk import run\n", encoding="utf-8")
    (made / "bot.toml").write_text('name = "ada"\ncommand = ["{python}", "bot.py"]\n', encoding="utf-8")
    return made


def hole(path: Path, size: int = HOLE) -> None:
    with path.open("wb") as file:
        os.truncate(file.fileno(), size)


def test_a_bot_with_a_hole_of_two_terabytes_is_refused_unread(folder: Path) -> None:
    hole(folder / "weights.bin")
    with pytest.raises(ConfigError, match=r"weights.bin: it takes the bot above the limit of 4 GiB") as refused:
        load_bot(folder)
    assert len(str(refused.value)) < 400


def test_named_files_count_with_the_folder(folder: Path, tmp_path: Path) -> None:
    hole(tmp_path / "one.bin")
    with pytest.raises(OSError, match="above the limit of 4 GiB"):
        fingerprint(folder, further=[tmp_path / "one.bin"])


def packed(folder: Path, _target: Path) -> None:
    pack_bot(load_bot(folder))


def copied(folder: Path, target: Path) -> None:
    copy_bot_folder(folder, target, (), target)


@pytest.mark.parametrize("act", [packed, copied])
def test_a_hole_under_a_name_with_a_dot_is_neither_copied_nor_sent(
    folder: Path, tmp_path: Path, act: Callable[[Path, Path], None]
) -> None:
    """Such a name is not part of the fingerprint."""
    hole(folder / ".cache")
    with pytest.raises((OSError, MachinesError), match="above the limit of 4 GiB"):
        act(folder, tmp_path / "copy")


def test_a_bot_has_a_limited_number_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_size, "MOST_FILES", 2)
    size = BotSize()
    size.add("a", MOST_BYTES)
    size.add("b", 0)
    with pytest.raises(OSError, match="above the limit of 2 files"):
        size.add("c", 0)


def test_what_takes_long_to_read_is_said_once() -> None:
    said: list[str] = []
    seconds = count()
    with saying(said.append):
        reading = SlowReading("the files of the bot in ada", lambda: float(next(seconds)))
        for number in range(10):
            reading.go_on(f"ada/{number}")
    assert said == ["reading the files of the bot in ada takes longer than 2 s; now at ada/2"]
    assert SAID_AFTER_S == 2.0


def test_what_keeps_others_waiting_is_given_up(folder: Path) -> None:
    with within(-1.0), pytest.raises(ConfigError, match=r"it could not all be read within -1 s"):
        load_bot(folder)
    load_bot(folder)


def test_outside_of_a_limit_nothing_is_said_or_given_up() -> None:
    seconds = count()
    reading = SlowReading("it", lambda: float(next(seconds) * 1000))
    for _ in range(5):
        reading.go_on("x")
