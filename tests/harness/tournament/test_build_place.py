"""Bots whose folder cannot be written are built in a copy in the cache (harness.tournament.preparation.build_place)."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.errors import BuildError
from bowerbird.harness.tournament.preparation import build_place
from bowerbird.harness.tournament.preparation.bot_copy import copy_folder
from bowerbird.harness.tournament.preparation.build import prepare
from bowerbird.harness.tournament.preparation.build_place import (
    STAMP,
    UNUSED_DAYS,
    cache_folder,
    can_build_in_place,
    locked,
    prune,
)
from tests.support.paths import ROOT
from tests.support.tournament.bot_folders import Yard

pytestmark = pytest.mark.usefixtures("processes")

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
    monkeypatch.setattr(build_place, "can_build_in_place", lambda bot: False)
    monkeypatch.setattr(build_place, "hold", lambda place: None)  # this process ends after all tests
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
    """Both may be named; a link in place of the file would be made in the original folder."""
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
    assert f"({cache}" in sentence
    assert sentence.endswith("Not a directory)"), "another folder in XDG_CACHE_HOME is advice for a denied one"


def test_a_failed_build_names_the_original(path: Path, cache: Path) -> None:
    (path / "build.sh").write_text("exit 3\n")
    with pytest.raises(BuildError, match=rf"^{path}/bot\.toml, line 3.*exit status 3"):
        ready(path)


def test_a_folder_that_is_built_already_is_used_as_it_is(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ready(path)
    assert (path / STAMP).exists()
    monkeypatch.setattr(build_place, "can_build_in_place", lambda bot: False)
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


def linked(path: Path, text: str) -> Path:
    link = path / "link"
    link.unlink(missing_ok=True)
    link.symlink_to(text)
    return link


@pytest.mark.parametrize("text", [".", "deep", "deep/file", "nowhere", "/nowhere", "../nowhere", "link"])
def test_a_link_inside_the_folder_is_copied_as_a_link(text: str, path: Path, cache: Path) -> None:
    (path / "deep").mkdir()
    (path / "deep" / "file").write_text("x")
    (path / "deep" / "up").symlink_to("..")
    linked(path, text)
    bot = ready(path)
    assert os.readlink(bot.source.parent / "link") == text
    assert os.readlink(bot.source.parent / "deep" / "up") == ".."
    assert bot.fingerprint == load_bot(path).fingerprint == load_bot(bot.source).fingerprint


@pytest.mark.parametrize(
    "text", ["/", "..", "../shared", "../shared/other", "/etc/hostname", "deep/../../shared/other"]
)
def test_a_link_out_of_the_folder_is_refused_by_name(text: str, path: Path, cache: Path) -> None:
    (path.parent / "shared" / "other").write_text("x")
    (path / "deep").mkdir()
    link = linked(path, text)
    with pytest.raises(BuildError) as caught:
        ready(path)
    assert str(caught.value).endswith(
        f"cannot be built in the cache: the link {link} leads out of the bot's folder "
        f"to {link.resolve()}: list that in 'files' or 'read'"
    )
    assert not list(cache.iterdir())


@pytest.mark.parametrize("text", ["../shared", "../shared/deep", "../shared/word"])
@pytest.mark.parametrize("relative", [True, False])
def test_a_link_to_what_the_bot_names_is_copied(text: str, relative: bool, yard: Yard, cache: Path) -> None:
    yard.write("bots/shared/word", "one")
    yard.write("bots/shared/deep/more", "two")
    yard.write("bots/built/build.sh", BUILD)
    keys = ('command = ["target/bot"]', 'build = ["sh", "build.sh"]', 'files = ["../shared"]')
    path = yard.bot("built", *keys).parent
    link = linked(path, text if relative else os.path.normpath(path / text))
    bot = ready(path)
    copied = bot.source.parent / "link"
    assert copied.is_symlink()
    assert copied.resolve() == link.resolve()
    assert bot.fingerprint == load_bot(bot.source).fingerprint


def test_a_link_that_returns_to_the_folder_from_outside_is_refused(path: Path, cache: Path) -> None:
    (path / "deep").mkdir()
    for text in ("../built/deep", str(path / "deep")):
        link = linked(path, text)
        with pytest.raises(BuildError, match=rf"the link {link} leads through folders outside .* make it relative"):
            ready(path)


def test_what_the_fingerprint_leaves_out_may_be_anything(path: Path, cache: Path) -> None:
    (path / ".venv").mkdir()
    (path / ".venv" / "python").symlink_to(sys.executable)
    os.mkfifo(path / ".venv" / "pipe")
    (path / "target").mkdir()
    os.mkfifo(path / "target" / "pipe")
    copy = ready(path).source.parent
    assert os.readlink(copy / ".venv" / "python") == sys.executable
    assert not (copy / ".venv" / "pipe").exists()


def test_a_cache_inside_the_bots_folder_is_not_copied_into_itself(
    path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(path / ".cache"))
    assert not (ready(path).source.parent / ".cache" / "bowerbird" / "bots").exists()


def test_two_copies_of_a_bot_are_kept(path: Path, yard: Yard, cache: Path) -> None:
    yard.write("bots/built-2/build.sh", BUILD)
    keys = ('command = ["target/bot"]', 'build = ["sh", "build.sh"]', 'files = ["../shared/word"]')
    other = ready(yard.bot("built-2", *keys).parent)
    made = []
    for number in range(4):
        (path / "source.c").write_text(f"int x{number};")
        made.append(ready(path))
        for place in cache.iterdir():  # the clock may not tell them apart
            os.utime(place, (place.stat().st_mtime - 60,) * 2)
    assert [bot.source.exists() for bot in made] == [False, False, True, True]
    assert other.source.exists(), "another bot's copy is not counted"


def test_a_copy_that_a_process_uses_is_kept_until_it_ends(
    path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = ready(path).source
    [place] = (place for place in cache.iterdir() if source.is_relative_to(place))
    program = (
        "import sys; from pathlib import Path; from bowerbird.harness.tournament.preparation.build_place import hold\n"
        "hold(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, place], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as user:
        assert user.stdout is not None
        assert user.stdout.readline() == b"held\n"
        later_s = place.stat().st_mtime + UNUSED_DAYS * 86400 + 1
        prune(cache, later_s)
        assert source.exists()
    prune(cache, place.stat().st_mtime + UNUSED_DAYS * 86400 + 1)
    assert not source.exists()


def test_a_run_holds_its_copy(path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[Path] = []
    monkeypatch.setattr(build_place, "hold", held.append)
    for _ in range(2):
        ready(path)
    assert held == [*cache.iterdir()] * 2


def test_a_copy_whose_build_fails_is_removed_at_once(path: Path, cache: Path) -> None:
    (path / "build.sh").write_text("exit 3\n")
    with pytest.raises(BuildError):
        ready(path)
    assert not list(cache.iterdir())


def test_a_copy_that_cannot_be_completed_is_removed_at_once_and_the_reason_said(
    path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: str, target: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), source, None, target)

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(BuildError) as caught:
        ready(path)
    assert str(caught.value).endswith(": No space left on device)")
    assert f"({cache}/" in str(caught.value)
    assert not list(cache.iterdir())


def test_a_cache_behind_a_link_that_leads_nowhere_is_named(path: Path, cache: Path) -> None:
    base = cache.parents[1]
    base.symlink_to("nowhere")
    with pytest.raises(BuildError) as caught:
        ready(path)
    assert str(caught.value).endswith(f"cannot be made in the cache ({base}: a broken link)")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_cache_that_may_not_be_written_is_advised_on(
    number: int, path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(folder: Path, **_more: object) -> None:
        raise OSError(number, os.strerror(number), str(folder))

    monkeypatch.setattr(Path, "mkdir", denied)
    with pytest.raises(
        BuildError, match=rf"{os.strerror(number)}\); set XDG_CACHE_HOME to a folder that you can write to"
    ):
        ready(path)


def test_a_file_of_the_bot_that_may_not_be_read_is_no_fault_of_the_cache(
    path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(source: str, target: str) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), source)

    monkeypatch.setattr(shutil, "copyfile", denied)
    with pytest.raises(BuildError, match=rf"\({path}/[^:]*: Permission denied\)$"):
        ready(path)


def test_a_copy_that_is_unlike_the_original_is_not_used(
    path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody edits the bot while it is copied."""
    load = load_bot(path)
    copy = shutil.copyfile

    def edited(source: str, target: str) -> None:
        copy(source, target)
        Path(target).write_text("edited")

    monkeypatch.setattr(shutil, "copyfile", edited)
    with pytest.raises(BuildError, match="its copy in the cache has other files or links"):
        prepare(load, lambda name: None)


def test_a_build_that_makes_a_pipe_is_refused(path: Path) -> None:
    (path / "build.sh").write_text("mkfifo pipe\n")
    with pytest.raises(BuildError, match=rf"its files cannot be read \({path}/pipe: a named pipe; only"):
        ready(path)


def test_a_cache_of_another_user_is_refused(path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner could plant a program with a matching stamp."""
    cache.mkdir(parents=True)
    owner = cache.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(BuildError, match=r"belongs to another user\); set XDG_CACHE_HOME to a folder"):
        ready(path)


def test_a_cache_is_made_for_its_user_alone(path: Path, cache: Path) -> None:
    ready(path)
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
