"""Bots whose folder cannot be written are built in a copy in the cache (harness.tournament.preparation.build_place)."""

from __future__ import annotations

import errno
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
from harness.tournament.preparation.build_place import (
    STAMP,
    UNUSED_DAYS,
    cache_folder,
    can_build_in_place,
    copy_folder,
    locked,
    prune,
)
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


def test_a_file_inside_a_folder_outside_is_left_alone(yard: Yard, cache: Path) -> None:
    """Both may be named; a link in the place of the file would be made in the original folder."""
    word = yard.write("bots/shared/word", "one")
    yard.write("bots/built/build.sh", BUILD)
    keys = ('command = ["target/bot"]', 'build = ["sh", "build.sh"]', 'files = ["../shared", "../shared/word"]')
    bot = ready(yard.bot("built", *keys).parent)
    assert (bot.cwd / "target" / "word").read_text() == word.read_text() == "one"
    assert not word.is_symlink()
    assert bot.files[1].resolve() == word


def test_a_working_folder_that_is_outside_is_the_original(yard: Yard, cache: Path) -> None:
    yard.write("bots/shared/word", "one")
    yard.write("bots/built/build.sh", BUILD)
    keys = ('command = ["../built/target/bot"]', 'build = ["sh", "build.sh"]', 'cwd = "../shared"')
    bot = ready(yard.bot("built", *keys, 'files = ["../shared"]').parent)
    assert (bot.cwd / "word").read_text() == "one"


def test_a_build_that_changes_the_bots_own_files_is_refused_each_time(path: Path, cache: Path) -> None:
    (path / "build.sh").write_text(f"{BUILD}\ntouch made.txt\n")
    for _ in range(2):
        with pytest.raises(BuildError, match="changes the bot's own files"):
            ready(path)


def test_two_entries_of_one_bot_share_a_copy(path: Path, cache: Path) -> None:
    first, second = ready(path), prepare(load_bot(path, "built-2"), lambda name: None)
    assert first.cwd == second.cwd
    assert (first.cwd / "target" / "log").read_text() == "again\n"


def test_a_copy_that_was_not_used_for_long_is_removed(path: Path, cache: Path) -> None:
    old = ready(path)
    (path / "source.c").write_text("int main;")
    new = ready(path)
    [place] = (place for place in cache.iterdir() if old.source.is_relative_to(place))
    unused_s = place.stat().st_mtime - UNUSED_DAYS * 86400 - 60
    os.utime(place, (unused_s, unused_s))
    assert ready(path) == new
    assert [new.source.is_relative_to(left) for left in cache.iterdir()] == [True]


def test_a_copy_that_is_used_again_is_kept_and_one_that_is_locked(path: Path, cache: Path) -> None:
    bot = ready(path)
    [place] = cache.iterdir()
    os.utime(place, (0, 0))
    with locked(place):
        prune(cache)
    assert place.exists()
    assert ready(path) == bot
    prune(cache)
    assert place.exists()
    prune(cache, place.stat().st_mtime + UNUSED_DAYS * 86400 + 1)
    assert not list(cache.iterdir())


def test_a_lock_of_a_folder_that_was_removed_meanwhile_is_not_held(tmp_path: Path) -> None:
    """The second command waits for the lock of the first, which removes the folder: it must lock the new one."""
    folder = tmp_path / "place"
    held: list[int] = []

    def flock(lock: int, operation: int) -> None:
        if not held:
            folder.rmdir()
        held.append(lock)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fcntl.flock", flock)
        with locked(folder):
            assert len(held) == 2
            assert os.path.samestat(os.fstat(held[-1]), folder.stat())


def test_a_file_system_without_locks_is_built_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NFS locks only what is open for writing, which a folder never is."""

    def flock(lock: int, operation: int) -> None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    monkeypatch.setattr("fcntl.flock", flock)
    assert ready(path).cwd == path


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
    (source / "lost").symlink_to("nowhere")
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
