"""What the rows about isolation share: a tier that works here or a skip, and what a bot printed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from tables import bot, conditions, play, table

from harness.records.record import GameRecord
from harness.referee.spec import BotSpec
from harness.referee.tiers import probe, tier_named


def require(tier: str) -> None:
    """Skip the test, with the reason, where a tier does not work; where toolchains are required that is a failure."""
    reason = probe(tier_named(tier), bot("probe"))
    if reason:
        pytest.skip(f"isolation {tier} does not work here: {reason}")


def play_beside_honest_bots(bad: BotSpec, folder: Path, tier: str) -> list[GameRecord]:
    """Two instances of `bad` at one table with an honest bot; the honest ones play another table, too."""
    require(tier)
    tables = [table(["good", "bad", "good", "bad"]), table(["good"] * 4, 1)]
    records, _ = play(tables, [bot("good"), bad], folder, made=conditions(isolation=tier))
    return records


def printed(folder: Path, word: str) -> list[list[str]]:
    """What the processes of bots printed behind this word (hostile_sandbox_acts.report), in any order."""
    texts = [path.read_text() for path in sorted(folder.rglob("*.log"))]
    return [json.loads(found) for text in texts for found in re.findall(rf"^{word}: (.*)$", text, re.MULTILINE)]


def nothing_worked(answers: Sequence[Sequence[str]]) -> bool:
    """Whether somebody tried, and nobody succeeded."""
    return bool(answers) and not any(answers)
