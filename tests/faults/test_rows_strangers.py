"""Tokens, streams and connections that do not belong to the seat (faults.md rows 12 to 14)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.referee.fault_matrix import Seen
from tests.support.referee.offence import offend, tell
from tests.support.referee.tables import bot, play, running, table

ABAB = ("a", "b", "a", "b")


@pytest.mark.row(12)
def test_a_wrong_token_is_refused_and_said(tmp_path: Path, seen: Seen) -> None:
    offence = offend(tmp_path, bot("bad", "wrong-token"))
    assert offence.fault.kind == "NEVER_STARTED"
    assert (
        "exit status 0 before its Hello; a stream to its address was refused: this token is not known"
        in offence.fault.detail
    )
    tell(seen, offence)


@pytest.mark.row(12)
def test_stolen_and_reused_tokens_are_refused_and_the_game_goes_on(tmp_path: Path, seen: Seen) -> None:
    """The thief reads every token and address of the run, which only a sandbox could hide.

    None of them opens a seat. gRPC itself refuses a stream, without our sentence, where calls that were refused just
    before still count as concurrent.
    """
    [record], _ = play([table(ABAB)], [bot("a", "last"), bot("b", "steals", "1")], tmp_path)
    assert record.faults == ()
    said = "".join(path.read_text() for path in tmp_path.glob("b-*.log"))
    answers = {line for line in said.splitlines() if line.startswith("stolen: ")}
    assert answers - {"stolen:  (StatusCode.RESOURCE_EXHAUSTED)"} == {
        "stolen: this token was used before (StatusCode.UNAUTHENTICATED)",
        "stolen: this token is not known here (StatusCode.UNAUTHENTICATED)",
    }
    assert not running(tmp_path)
    seen("stolen and reused: refused, used before or not known there; no fault")


@pytest.mark.row(13)
def test_a_second_stream_for_one_seat_is_refused_and_the_first_goes_on(tmp_path: Path, seen: Seen) -> None:
    [record], _ = play([table(ABAB)], [bot("a", "last"), bot("b", "second-stream", "1")], tmp_path)
    assert record.faults == ()
    said = "".join(path.read_text() for path in tmp_path.glob("b-*.log"))
    assert "this token was used before (StatusCode.UNAUTHENTICATED)" in said
    seen("refused: this token was used before; no fault")


@pytest.mark.row(14)
@pytest.mark.parametrize("transport", ["unix", "tcp"])
def test_forty_streams_and_500_idle_connections_keep_nobody_from_playing(
    tmp_path: Path, seen: Seen, transport: str
) -> None:
    specs = [table(ABAB, n) for n in range(4)]
    records, _ = play(specs, [bot("a", "last"), bot("b", "crowds", "1")], tmp_path, transport=transport)
    assert [record.faults for record in records] == [()] * 4
    said = "".join(path.read_text() for path in tmp_path.glob("b-*.log"))
    assert "keeps 540" in said, said
    assert not running(tmp_path)
    seen(f"{transport}: no fault at any table, its own included")
