"""Bots that travel to workers."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.extras.cluster.on_worker.bot_archive import (
    is_unpacked,
    pack_bot,
    unpack_bot,
    unpacked_bot,
)
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.config.fingerprint import fingerprint
from bowerbird.harness.tournament.errors import MachinesError
from bowerbird.harness.tournament.preparation.build_place import UNUSED_DAYS, cache_folder, prune
from tests.support.paths import ROOT
from tests.support.tournament.bot_folders import Yard


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the cache of the worker."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def sent(bot: BotSpec) -> BotSpec:
    """Return the bot as it is on a worker."""
    packed, archive = pack_bot(bot)
    assert not is_unpacked(packed)
    unpack_bot(packed, archive)
    assert is_unpacked(packed)
    return unpacked_bot(packed, ExitStack())


def test_a_bot_arrives_with_its_files_modes_and_links(yard: Yard, cache: Path) -> None:
    yard.write("bots/alpha/run.sh", "#!/bin/sh\n").chmod(0o755)
    yard.write("bots/alpha/deep/data.bin", "x" * 100_000)
    (yard.folder / "bots/alpha/link").symlink_to("deep/data.bin")
    bot = load_bot(yard.bot("alpha", 'command = ["./run.sh"]'))
    there = sent(bot)
    folder = there.source.parent
    assert folder.is_relative_to(cache)
    assert there.cwd == folder
    assert os.access(folder / "run.sh", os.X_OK)
    assert os.readlink(folder / "link") == "deep/data.bin"
    assert fingerprint(folder) == fingerprint(bot.source.parent)
    assert (there.fingerprint, there.command) == (bot.fingerprint, bot.command)


def test_files_outside_the_folder_keep_their_place_to_it(yard: Yard) -> None:
    yard.write("shared/model.bin", "weights")
    yard.write("shared/more/deep.bin", "weights")
    bot = load_bot(yard.bot("alpha", 'files = ["../../shared/model.bin", "../../shared/more"]'))
    there = sent(bot)
    assert (there.source.parent / "../../shared/model.bin").read_text() == "weights"
    assert [path.read_text() for path in (there.files[0], there.files[1] / "deep.bin")] == ["weights"] * 2


def test_what_a_build_made_stays_behind(yard: Yard) -> None:
    """It is built on the worker, whose system may be different."""
    yard.write("bots/alpha/target/program", "for another machine")
    yard.write("bots/alpha/.bowerbird-build", "stamp")
    there = sent(load_bot(yard.bot("alpha")))
    assert sorted(path.name for path in there.source.parent.iterdir()) == [".bowerbird-used", "bot.toml"]


def test_the_interpreter_of_the_worker_runs_a_python_bot(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    packed, archive = pack_bot(load_bot(yard.bot("alpha")))
    unpack_bot(packed, archive)
    monkeypatch.setattr("sys.executable", "/opt/worker/bin/python")
    assert unpacked_bot(packed, ExitStack()).command[0] == "/opt/worker/bin/python"


def test_a_bundled_bot_does_not_travel() -> None:
    """Every worker has the same Bowerbird."""
    packed, archive = pack_bot(load_bot(ROOT / "bots" / "greedy"))
    assert archive == b""
    assert is_unpacked(packed)
    assert unpacked_bot(packed, ExitStack()).source == ROOT / "bots" / "greedy" / "bot.toml"


def test_equal_files_make_equal_archives_and_a_mode_counts(yard: Yard) -> None:
    """Workers keep bots by archive: one whose program has become executable is a different one."""
    program = yard.write("bots/alpha/run.sh", "")
    bot = load_bot(yard.bot("alpha"))
    first, _ = pack_bot(bot)
    os.utime(program, (1, 1))
    assert pack_bot(bot)[0] == first
    program.chmod(0o755)
    assert pack_bot(bot)[0] != first


def test_a_bot_that_was_changed_on_the_way_is_refused_and_not_kept(yard: Yard) -> None:
    packed, _ = pack_bot(load_bot(yard.bot("alpha")))
    yard.write("bots/alpha/more.py", "")
    _, other = pack_bot(load_bot(yard.folder / "bots/alpha"))
    with pytest.raises(MachinesError, match="bot 'alpha' has different files there from those in the run"):
        unpack_bot(packed, other)
    assert not is_unpacked(packed)


def test_a_folder_that_is_read_and_does_not_travel_must_be_there(yard: Yard) -> None:
    data = yard.folder / "data"
    data.mkdir()
    yard.bot("alpha", "[sandbox]", f'read = ["{data}"]')
    packed, archive = pack_bot(load_bot(yard.folder / "bots/alpha"))
    unpack_bot(packed, archive)
    assert data in unpacked_bot(packed, ExitStack()).read
    data.rmdir()
    with pytest.raises(MachinesError, match=r"needs .*data there, which \[sandbox\] read in its bot.toml lists"):
        unpacked_bot(packed, ExitStack())


def test_a_cache_that_cannot_be_written_is_named_with_the_way_out(
    yard: Yard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed, archive = pack_bot(load_bot(yard.bot("alpha")))
    monkeypatch.setenv("XDG_CACHE_HOME", str(yard.write("file", "")))
    with pytest.raises(MachinesError, match=r"cannot be unpacked .*set XDG_CACHE_HOME to a writable folder"):
        unpack_bot(packed, archive)


def test_a_link_that_leads_elsewhere_is_not_sent(yard: Yard) -> None:
    (yard.folder / "bots/alpha").mkdir(exist_ok=True, parents=True)
    (yard.folder / "bots/alpha/secrets").symlink_to("/etc")
    with pytest.raises(MachinesError, match=r"'alpha' cannot be sent to a worker: the link .*secrets leads out of"):
        pack_bot(load_bot(yard.bot("alpha")))


@pytest.mark.parametrize("word", ["{exe}.12", "/opt{exe}", "{exe}/lib", "my-{exe}"])
def test_another_path_that_holds_that_of_the_interpreter_stays(yard: Yard, word: str) -> None:
    """/usr/bin/python3.12 is not /usr/bin/python3."""
    typed = word.format(exe=sys.executable)
    bot = replace(load_bot(yard.bot("alpha")), command=(sys.executable, typed, f"--with={sys.executable}"))
    assert pack_bot(bot)[0].spec.command == ("{python}", typed, "--with={python}")


def test_the_history_of_a_folder_stays_behind(yard: Yard) -> None:
    yard.write("bots/alpha/.git/config", "password")
    yard.write("bots/alpha/.cargo/config.toml", "")
    folder = sent(load_bot(yard.bot("alpha"))).source.parent
    assert sorted(path.name for path in folder.iterdir()) == [".bowerbird-used", ".cargo", "bot.toml"]


def test_a_bot_may_leave_the_cache_when_its_site_has_ended(yard: Yard) -> None:
    """A worker plays many runs. Each must give its bots up before the worker ends."""
    packed, archive = pack_bot(load_bot(yard.bot("alpha")))
    unpack_bot(packed, archive)
    held = ExitStack()
    place = unpacked_bot(packed, held).source.parent
    later_s = time.time() + 2 * UNUSED_DAYS * 86400
    prune(cache_folder(), later_s)
    assert place.is_dir(), "it was removed while it was in use"
    held.close()
    prune(cache_folder(), later_s)
    assert not place.exists()


def test_only_the_interpreter_is_replaced_in_a_command(yard: Yard) -> None:
    bot = replace(load_bot(yard.bot("alpha")), command=("./python3", "-c", "print"))
    assert pack_bot(bot)[0].spec.command == bot.command
