"""Builds of bots: once for each state of a bot's files, and the error if one fails (bot-file.md)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.errors import BuildError, ConfigError
from bowerbird.harness.tournament.preparation.build import prepare
from bowerbird.harness.tournament.preparation.build_place import STAMP
from tests.support.paths import ROOT
from tests.support.tournament.bot_folders import Yard

pytestmark = pytest.mark.usefixtures("processes")

BUILD = """mkdir -p target
echo again >> target/log
printf '#!/bin/sh\\n' > target/bot
chmod +x target/bot
"""


@pytest.fixture
def path(yard: Yard) -> Path:
    """Return the folder of a bot whose build makes its program."""
    yard.write("bots/built/build.sh", BUILD)
    return yard.bot("built", 'command = ["target/bot"]', 'build = ["sh", "build.sh"]').parent


def builds(path: Path) -> int:
    return len((path / "target/log").read_text().splitlines())


def ready(path: Path) -> BotSpec:
    return prepare(load_bot(path), lambda name: None)


def test_a_bot_is_built_before_its_command_is_looked_for(path: Path) -> None:
    said: list[str] = []
    bot = prepare(load_bot(path), said.append)
    assert bot.command == (str(path / "target/bot"),)
    assert said == ["built"]


def test_a_build_shows_its_last_line_while_it_runs(path: Path) -> None:
    (path / "build.sh").write_text(f"mkfifo seen\necho one\necho two\nread line < seen\necho three\nrm seen\n{BUILD}")
    said: list[str] = []

    def says(line: str) -> None:
        if line == "two":
            (path / "seen").write_text("go on\n")  # the build waits for it
        said.append(line)

    prepare(load_bot(path), lambda name: None, says)
    assert "two" in said
    assert said[-1] == "three"


def test_a_build_runs_once(path: Path) -> None:
    ready(path)
    said: list[str] = []
    prepare(load_bot(path), said.append)
    assert builds(path) == 1
    assert said == []


def test_changed_files_are_built_again(path: Path) -> None:
    ready(path)
    (path / "source.c").write_text("int main;")
    ready(path)
    assert builds(path) == 2


def test_a_change_of_a_shared_file_is_built_again(path: Path) -> None:
    shared = path.parent / "shared.h"
    shared.write_text("1")
    manifest = path / "bot.toml"
    manifest.write_text('files = ["../shared.h"]\n' + manifest.read_text())
    ready(path)
    ready(path)
    shared.write_text("2")
    ready(path)
    assert builds(path) == 2


def test_a_program_that_was_removed_is_built_again(path: Path) -> None:
    ready(path)
    (path / "target/bot").unlink()
    ready(path)
    assert builds(path) == 2


def test_a_build_does_not_change_who_the_bot_is(path: Path) -> None:
    before = load_bot(path).fingerprint
    ready(path)
    assert (path / STAMP).exists()
    assert load_bot(path).fingerprint == before


def test_a_bot_without_a_build_is_only_looked_at(yard: Yard) -> None:
    bot = load_bot(yard.bot("alpha"))
    assert prepare(bot, pytest.fail) == bot


def test_a_failed_build_shows_the_end_of_its_output(path: Path) -> None:
    (path / "build.sh").write_text("seq 1 50\necho 'no such type: Crad' >&2\nexit 3\n")
    with pytest.raises(BuildError) as caught:
        ready(path)
    error = caught.value
    assert error.sentence == (
        f"{path / 'bot.toml'}, line 3, key 'build': bot 'built' cannot be built, 'sh build.sh' ended with exit status 3"
    )
    assert error.tail.splitlines()[-1] == "no such type: Crad"
    assert error.tail.splitlines()[0] == "32"
    assert not (path / STAMP).exists()


def test_a_build_program_that_is_not_there_is_named(path: Path, yard: Yard) -> None:
    yard.bot("built", 'command = ["target/bot"]', 'build = ["no-such-builder"]')
    with pytest.raises(BuildError, match="needs 'no-such-builder', which is not on the PATH: install it"):
        ready(path)


def test_a_build_that_hangs_is_ended(path: Path) -> None:
    (path / "build.sh").write_text("echo begun\nexec sleep 600\n")
    with pytest.raises(BuildError, match=r"did not finish within 5 s\nbegun"):
        prepare(load_bot(path), lambda name: None, timeout_s=5)


def test_a_build_that_changes_the_bots_own_files_is_refused(path: Path) -> None:
    (path / "build.sh").write_text("mkdir -p target; cp build.sh target/bot; chmod +x target/bot; echo x > made.txt\n")
    with pytest.raises(BuildError, match="changes the bot's own files"):
        ready(path)


def test_a_build_that_does_not_make_the_program_is_refused(path: Path) -> None:
    (path / "build.sh").write_text("true\n")
    with pytest.raises(ConfigError, match="bot 'built' cannot be started: there is no program"):
        ready(path)


WAITS = """mkdir -p target
if [ -e target/child ]; then
  grep '^State:[[:space:]]*[^Z[:space:]]' "/proc/$(cat target/child)/status" > target/both
  cp /bin/true target/bot
else
  sleep 600 &
  echo $! > target/child
  echo begun > .begun
  wait
fi
"""
"""A build that is killed the first time. The second time it says whether the child of the first build is still
running."""

PREPARE = """import signal, sys
from pathlib import Path
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # these tests may run under nohup
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.preparation.build import prepare
prepare(load_bot(Path(sys.argv[1])), lambda name: None)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_build_ends_with_its_command_before_the_next_one_begins(path: Path, number: signal.Signals) -> None:
    (path / "build.sh").write_text(WAITS)
    os.mkfifo(path / ".begun")
    with subprocess.Popen([sys.executable, "-c", PREPARE, path], cwd=ROOT, stderr=subprocess.DEVNULL) as command:
        assert (path / ".begun").read_text() == "begun\n"
        command.send_signal(number)
        try:
            assert command.wait(60) == -number
        finally:
            command.kill()
    ready(path)
    assert (path / "target/both").read_text() == ""


def test_a_build_that_hangs_is_ended_with_its_children(path: Path) -> None:
    (path / "build.sh").write_text(WAITS)
    with pytest.raises(BuildError, match="did not finish within 2 s"):
        prepare(load_bot(path), lambda name: None, timeout_s=2)
    ready(path)
    assert (path / "target/both").read_text() == ""


def test_a_build_program_that_cannot_run_is_named_with_the_reason(path: Path, yard: Yard) -> None:
    yard.bot("built", 'command = ["target/bot"]', 'build = ["./build.sh"]')
    with pytest.raises(BuildError, match=r"'./build.sh' cannot be started \(Permission denied\)"):
        ready(path)


def test_a_build_that_a_signal_ends_says_so(path: Path) -> None:
    (path / "build.sh").write_text("kill -9 $$\n")
    with pytest.raises(BuildError, match="ended with signal 9"):
        ready(path)
