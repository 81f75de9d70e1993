"""Copying a starter (bowerbird.harness.cli.commands.new_bot): each error is one sentence."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
import pytest

from bowerbird.harness.cli.commands.new_bot import LANGUAGES, Language, copy_starter
from bowerbird.harness.cli.shared.errors import InputError


def test_a_disk_without_room_is_said_with_the_first_file_that_was_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: Path, target: Path, **_more: object) -> None:
        raise shutil.Error([(str(source / name), str(target / name), "No space left on device") for name in "ab"])

    monkeypatch.setattr(shutil, "copytree", full)
    with pytest.raises(InputError, match=rf"^{tmp_path}/bot/a: cannot be written \(No space left on device\)$"):
        copy_starter("python", tmp_path / "bot")


@pytest.mark.parametrize(
    ("word", "language"),
    [
        ("typescript", "node"),
        ("ts", "node"),
        ("JavaScript", "node"),
        ("c++", "cpp"),
        ("golang", "go"),
        ("Rust", "rust"),
    ],
)
def test_a_language_is_known_by_what_people_call_it(word: str, language: str) -> None:
    assert Language(LANGUAGES).convert(word, None, None) == language


def test_another_language_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(click.BadParameter, match="'cobol' is not one of 'python', 'go'"):
        Language(LANGUAGES).convert("cobol", None, None)
