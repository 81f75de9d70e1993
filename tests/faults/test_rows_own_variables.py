"""Bots whose `[environment]` aims at the programs that confine them: rows 19 and 44 of faults.md.

Each attempt is also made without isolation, where it must succeed: an attempt that cannot succeed proves nothing.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bowerbird.harness.records.values.game_record import OWN_USER
from bowerbird.harness.referee.isolation.launch import Tier
from bowerbird.harness.referee.isolation.tiers import probe, tier_named
from bowerbird.harness.referee.spec import BotSpec
from tests.support.deadline import DEADLINE_S
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.isolated import finish, require
from tests.support.referee.tables import bot

COMPILER = shutil.which("cc") or shutil.which("gcc")

LIBRARY = """
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void loaded(void) {
    int file = open(TRACE, O_WRONLY | O_CREAT, 0644);
    if (file >= 0) close(file);
}
"""

Attack = Callable[[Path], dict[str, str]]

HELPERS = ("sh", "env", "unshare", "mount", "mkdir", "cp", "bwrap", "setpriv", "prlimit")


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that every user may enter, with a folder for the bot and one that only we may write to."""
    with tempfile.TemporaryDirectory(prefix="bowerbird-test-", dir="/var/tmp") as made:
        os.chmod(made, 0o755)
        for name in ("bot", "ours"):
            (Path(made) / name).mkdir(mode=0o755)
        yield Path(made)


def _preload(folder: Path) -> dict[str, str]:
    """Return variables that load a library of the bot into every program. It leaves a trace where it may write."""
    if COMPILER is None:
        pytest.skip("this machine has no C compiler")
    source, library = folder / "bot" / "evil.c", folder / "bot" / "evil.so"
    source.write_text(LIBRARY)
    trace = f'-DTRACE="{folder}/ours/trace"'
    subprocess.run(
        [COMPILER, "-shared", "-fPIC", trace, "-o", str(library), str(source)], check=True, timeout=DEADLINE_S
    )
    return {"LD_PRELOAD": str(library)}


def _path(folder: Path) -> dict[str, str]:
    """Return a PATH that leads to programs of the bot, named like those that confine it."""
    for name in HELPERS:
        program = folder / "bot" / name
        program.write_text(f'#!/bin/sh\ntrue 2>/dev/null >{folder}/ours/trace\nexec /usr/bin/{name} "$@"\n')
        program.chmod(0o755)
    return {"PATH": f"{folder}/bot:/usr/bin:/bin"}


def _bot(folder: Path, environment: dict[str, str], *command: str) -> BotSpec:
    """Return a bot with this command; by default one that starts a program by its name and prints its variables."""
    home = folder / "bot"
    words = command or ("/bin/sh", "-c", "env; echo played")
    return dataclasses.replace(bot("bad", command=words), cwd=home, source=home, environment=environment)


def _run(tier: Tier, spec: BotSpec) -> str:
    """Probe the tier and start the bot, as a run does; return what the bot prints."""
    assert probe(tier, spec) == ""
    launch = tier.launch(spec, {"BOWERBIRD_TOKEN": "secret"})
    done = finish(launch)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.row(19)
@pytest.mark.parametrize("attack", [_preload, _path])
@pytest.mark.parametrize("tier", ["sandbox", "none"])
def test_variables_of_a_bot_reach_no_program_outside_its_sandbox(
    folder: Path, seen: Seen, tier: str, attack: Attack
) -> None:
    require(tier)
    environment = attack(folder)
    printed = _run(tier_named(tier), _bot(folder, environment)).splitlines()
    assert {"played", "BOWERBIRD_TOKEN=secret", *(f"{name}={environment[name]}" for name in environment)} <= {*printed}
    assert os.listdir(folder / "ours") == (["trace"] if tier == "none" else [])
    if tier == "sandbox":
        seen("neither LD_PRELOAD nor PATH ran code of the bot outside, nor in the probe")


@pytest.mark.row(44)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start bots as other users")
@pytest.mark.parametrize("attack", [_preload, _path])
def test_variables_of_a_bot_run_nothing_as_root_under_limits(folder: Path, seen: Seen, attack: Attack) -> None:
    require("limits")
    printed = _run(tier_named("limits", measures=[OWN_USER]), _bot(folder, attack(folder)))
    assert printed.endswith("played\n")
    assert os.listdir(folder / "ours") == []
    seen("neither LD_PRELOAD nor PATH ran code of the bot as root, nor in the probe")


@pytest.mark.row(19)
@pytest.mark.parametrize("tier", ["sandbox", "limits"])
def test_a_program_whose_path_holds_an_equals_sign_is_no_variable(folder: Path, tier: str) -> None:
    require(tier)
    program = folder / "bot" / "a=b"
    program.write_text('#!/bin/sh\necho "$1 $ONE"\n')
    program.chmod(0o755)
    spec = _bot(folder, {"ONE": "1=2"}, str(program), "x y")
    assert _run(tier_named(tier), spec) == "x y 1=2\n"
