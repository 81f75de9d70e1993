"""Bots whose folder cannot be written are built in a copy in the cache (harness.tournament.preparation.build_place)."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from harness.referee.spec import BotSpec
from harness.tournament.config.bot_file import load_bot
from harness.tournament.errors import BuildError
from harness.tournament.preparation import build, build_place
from harness.tournament.preparation.build import prepare
from harness.tournament.preparation.build_place import STAMP, cache_folder, can_build_in_place, copy_folder
from tests.support.tournament.bot_folders import Yard

BUILD = """mkdir -p target
echo again >> target/log
cat ../shared/word > target/word
printf '#!/bin/sh\\n' > target/bot
chmod +x target/bot
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let no bot be built in its own folder; return the cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(build, "can_build_in_place", lambda bot: False)
    return tmp_path / "cache" / "bowerbird" / "bots"


@pytest.fixture
def path(yard: Yard) -> Path:
    """Return the folder of a bot whose build makes its program from a file outside its folder."""
    yard.write("bots/shared/word", "one")
    yard.write("bots/built/build.sh", BUILD)
    keys = ('command = ["target/bot"]', 'build = ["sh", "build.sh"]', 'files = ["../shared/word"]')
    return yard.bot("built", *keys).parent


def ready(path: Path) -> BotSpec:
    return prepare(load_bot(path), lambda name: None)


def test_a_copy_is_built_and_the_folder_stays_as_it_was(path: Path, cache: Path) -> None:
    before = sorted(path.rglob("*"))
    bot = ready(path)
    assert sorted(path.rglob("*")) == before
    assert Path(bot.command[0]).is_relative_to(cache)
    assert (bot.cwd / "target" / "word").read_text() == "one"


def test_a_copy_has_the_fingerprint_of_the_original(path: Path, cache: Path) -> None:
    bot = ready(path)
    assert bot.fingerprint == load_bot(path).fingerprint == load_bot(bot.source).fingerprint


def test_a_copy_is_built_once(path: Path, cache: Path) -> None:
    first, second = ready(path), ready(path)
    assert first == second
    assert (first.cwd / "target" / "log").read_text() == "again\n"


def test_a_changed_bot_has_another_copy(path: Path, cache: Path) -> None:
    first = ready(path)
    (path / "source.c").write_text("int main;")
    second = ready(path)
    assert first.cwd != second.cwd
    assert (second.cwd / "source.c").exists()


def test_a_changed_file_outside_has_another_copy(path: Path, cache: Path) -> None:
    ready(path)
    (path.parent / "shared" / "word").write_text("two")
    assert (ready(path).cwd / "target" / "word").read_text() == "two"


def test_a_copy_that_somebody_damaged_is_made_anew(path: Path, cache: Path) -> None:
    first = ready(path)
    (first.cwd / "build.sh").unlink()
    second = ready(path)
    assert second == first
    assert (second.cwd / "build.sh").exists()


def test_everything_that_the_copy_may_read_is_named(path: Path, cache: Path) -> None:
    """The sandbox shows a bot its folder, its files, and what it may read; a link needs its target, too."""
    bot = ready(path)
    original = path.parent / "shared" / "word"
    assert original in bot.read
    assert [file.resolve() for file in bot.files] == [original]


def test_a_working_folder_around_the_bot_is_part_of_the_copy(yard: Yard, cache: Path) -> None:
    yard.write("bots/built/build.sh", "mkdir -p target; cp /bin/true target/bot")
    keys = ('command = ["built/target/bot"]', 'build = ["sh", "build.sh"]', 'cwd = ".."')
    bot = ready(yard.bot("built", *keys).parent)
    assert bot.cwd == bot.source.parent.parent
    assert bot.cwd.is_relative_to(cache)


def test_a_cache_that_cannot_be_written_either_is_one_sentence(
    path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.parent.parent.mkdir()
    cache.parent.write_text("a file in its place")
    with pytest.raises(BuildError) as caught:
        ready(path)
    sentence = str(caught.value)
    assert "bot 'built' cannot be built: a copy of its folder cannot be made in the cache" in sentence
    assert f"({cache}/" in sentence
    assert sentence.endswith("Not a directory); set XDG_CACHE_HOME to a folder that you may write")


def test_a_failed_build_names_the_original(path: Path, cache: Path) -> None:
    (path / "build.sh").write_text("exit 3\n")
    with pytest.raises(BuildError, match=rf"^{path}/bot\.toml, line 3.*exit status 3"):
        ready(path)


def test_a_folder_that_is_built_already_is_used_as_it_is(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ready(path)
    assert (path / STAMP).exists()
    monkeypatch.setattr(build, "can_build_in_place", lambda bot: False)
    assert ready(path) == first


@pytest.mark.parametrize("base", ["", "relative/folder"])
def test_the_cache_is_in_the_home_folder_unless_an_absolute_path_is_set(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", base)
    assert cache_folder() == tmp_path / ".cache" / "bowerbird" / "bots"


def test_a_bot_of_an_installation_is_not_built_in_place(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert can_build_in_place(load_bot(path))
    monkeypatch.setattr(build_place, "is_installed", path.is_relative_to)
    assert not can_build_in_place(load_bot(path))


def test_a_copied_folder_is_the_owners_to_change(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "inner").mkdir(parents=True)
    (source / "inner" / "run.sh").write_text("true")
    (source / "link").symlink_to("inner")
    (source / "target").mkdir()
    modes = {source / "inner" / "run.sh": 0o555, source / "inner": 0o555, source: 0o555}
    for path, mode in modes.items():
        path.chmod(mode)
    copy_folder(source, tmp_path / "copy", {"target"})
    for path in modes:
        path.chmod(0o755)
    copied = {path.relative_to(tmp_path / "copy"): path for path in (tmp_path / "copy").rglob("*")}
    assert set(map(str, copied)) == {"inner", "inner/run.sh", "link", "link/run.sh"}
    assert all(path.stat().st_mode & stat.S_IWUSR and not path.is_symlink() for path in copied.values())
    assert os.access(copied[Path("inner/run.sh")], os.X_OK)
    shutil.rmtree(tmp_path / "copy")
