"""What a bot prints (FAULTS.md, row 18)."""

from __future__ import annotations

import pytest
from hostile_starts import LAST_WORD
from tables import bot, play, running, table

from harness.referee.launcher import TAIL
from harness.referee.log import LOG_LIMIT

SLACK = 1024


@pytest.mark.slow
@pytest.mark.row(18)
def test_100_mb_of_output_are_drained_and_the_tail_is_kept(tmp_path, seen):
    [record], referee = play([table(("a", "b", "a", "a"))], [bot("a", "last"), bot("b", "shouts")], tmp_path)
    assert record.faults == ()
    story = referee.bot_story("b")
    assert story.stdout.rstrip().endswith(LAST_WORD)
    assert story.stderr.rstrip().endswith(LAST_WORD)
    assert len(story.stdout) <= TAIL
    [log] = tmp_path.glob("b-*.log")
    assert log.stat().st_size <= LOG_LIMIT + SLACK
    assert "the log ends here" in log.read_text()
    assert not running(tmp_path)
    seen(f"2 x 100 MB drained, {len(story.stderr)} characters kept, log of {log.stat().st_size} bytes, no fault")
