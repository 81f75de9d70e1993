"""A bot's output to stdout and stderr (faults.md row 18)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.referee.process.output import LOG_LIMIT, TAIL_BYTES
from tests.support.bots.hostile_starts import LAST_WORD
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.tables import bot, play, running, table

SLACK = 1024


@pytest.mark.row(18)
def test_100_mb_of_output_are_drained_and_the_tail_is_kept(tmp_path: Path, seen: Seen) -> None:
    [record], referee = play([table(("a", "b", "a", "a"))], [bot("a", "last"), bot("b", "shouts")], tmp_path)
    assert record.faults == ()
    story = referee.bot_story("b")
    assert story.stdout.rstrip().endswith(LAST_WORD)
    assert story.stderr.rstrip().endswith(LAST_WORD)
    assert len(story.stdout) <= TAIL_BYTES
    [log] = tmp_path.glob("b-*.log")
    assert log.stat().st_size <= LOG_LIMIT + SLACK
    assert "the log ends here" in log.read_text()
    assert not running(tmp_path)
    seen(f"2 x 100 MB drained, {len(story.stderr)} characters kept, log of {log.stat().st_size} bytes, no fault")
