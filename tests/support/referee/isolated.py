"""Helpers for the rows about isolation: skip a tier that does not work here, and read what a bot printed."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.referee.isolation.launch import Launch
from bowerbird.harness.referee.isolation.seccomp import passing_filter
from bowerbird.harness.referee.isolation.tiers import probe, tier_named
from bowerbird.harness.referee.spec import BotSpec
from tests.support.deadline import DEADLINE_S
from tests.support.referee.tables import bot, conditions, play, table


def require(tier: str) -> None:
    """Skip the test, with the reason, if the tier does not work; fail if every toolchain is required."""
    reason = probe(tier_named(tier), bot("probe"))
    if reason:
        pytest.skip(f"isolation {tier} does not work here: {reason}")


def in_folder(folder: Path, *command: str) -> BotSpec:
    """Return a bot whose folder this is, with this command and no variables."""
    return dataclasses.replace(bot("a", command=command), cwd=folder, source=folder, environment={})


def finish(launch: Launch, *, memory_is_bounded: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a launch to its end, as the supervisor does."""
    with passing_filter(launch.argv, memory_is_bounded=memory_is_bounded) as (argv, descriptors):
        return subprocess.run(
            argv,
            env=dict(launch.environment),
            cwd=launch.cwd,
            pass_fds=descriptors,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )


def play_beside_honest_bots(bad: BotSpec, folder: Path, tier: str) -> list[GameRecord]:
    """Play two instances of `bad` at one table with an honest bot, and a second table of honest bots alone."""
    require(tier)
    tables = [table(["good", "bad", "good", "bad"]), table(["good"] * 4, 1)]
    records, _ = play(tables, [bot("good"), bad], folder, made=conditions(isolation=tier))
    return records


def printed(folder: Path, word: str) -> list[list[str]]:
    """Return the lists that bots printed after this word (hostile_sandbox_acts.report), in any order."""
    texts = [path.read_text() for path in sorted(folder.rglob("*.log"))]
    return [json.loads(found) for text in texts for found in re.findall(rf"^{word}: (.*)$", text, re.MULTILINE)]


def nothing_worked(answers: Sequence[Sequence[str]]) -> bool:
    """Return whether at least one bot tried and none succeeded."""
    return bool(answers) and not any(answers)
