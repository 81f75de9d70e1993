"""Faults shown to people: no text of a bot may control their terminal."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from bowerbird.harness.cli.display.faults import (
    LINE_LIMIT,
    diagnostics_lines,
    last_stderr_lines,
    printable,
    process_lines,
    summary_lines,
)
from bowerbird.harness.records.values.faults import NO_LOG
from bowerbird.harness.records.values.query_results import FaultRow


def _fault(game: str, bot: str = "a", kind: str = "CRASHED", detail: str = "exit status 3") -> FaultRow:
    return FaultRow(game=game, hand=0, action=0, seat=0, bot=bot, kind=kind, limit_ms=0, elapsed_ms=0, detail=detail)


def test_faults_are_counted_by_bot_and_kind_with_the_first_detail(tmp_path: Path) -> None:
    faults = [_fault("g/0"), _fault("g/0"), _fault("g/1", detail="signal 9"), _fault("g/1", "b", "TIMEOUT", "")]
    assert summary_lines(faults, tmp_path / "nowhere") == [
        "bot a: CRASHED in 2 games (exit status 3)",
        "bot b: TIMEOUT in 1 game",
    ]


def test_games_that_were_not_played_are_told_apart_from_those_in_which_the_bot_failed(tmp_path: Path) -> None:
    why = "exit status 7 before its Hello"
    failed = [_fault(f"g/{number}", kind="NEVER_STARTED", detail=why) for number in range(5)]
    unplayed = [_fault(f"g/{number}", kind="NEVER_STARTED", detail=f"withdrawn: {why}") for number in range(5, 78)]
    assert summary_lines([*failed, *unplayed], tmp_path) == [
        f"bot a: NEVER_STARTED in 5 games ({why})",
        f"bot a: withdrawn, 73 games not played ({why})",
    ]


def test_last_words_are_the_last_line_of_stderr_behind_the_latest_fault_that_has_one() -> None:
    silent, old, late, other = (
        dataclasses.replace(_fault("g/0", bot), stderr=words, log=f"logs/r/{bot}-{number}-1.log")
        for number, (bot, words) in enumerate(
            [("a", ""), ("a", "old\n"), ("a", "first\nno model \x1b[2Jfound\n\n"), ("b", " \n")]
        )
    )
    folder = Path("results")
    assert last_stderr_lines([silent, old, late], folder) == [
        r"bot a wrote last (results/logs/r/a-2-1.log): no model \u001b[2Jfound"
    ]
    nowhere = dataclasses.replace(old, log="", no_log=NO_LOG)
    assert last_stderr_lines([nowhere], folder) == ["bot a wrote last: old"], "no path to a log that does not exist"
    assert last_stderr_lines([other], folder) == ["bot b wrote results/logs/r/b-3-1.log"], "on stdout, it seems"
    assert last_stderr_lines([_fault("g/0")], folder) == []


def test_strangers_text_is_one_short_harmless_line() -> None:
    assert printable("\x1b]0;title\x07\x1b[2Jgone\r\n\tyes") == r"\u001b]0;title\u0007\u001b[2Jgone yes"
    assert len(printable("x" * 1000)) == LINE_LIMIT


def test_a_traceback_keeps_its_shape() -> None:
    story = 'Traceback:\n  File "bot.py", line 8, in act\n    raise\x1b ValueError\n\nValueError: x\n'
    told_lines = diagnostics_lines(dataclasses.replace(_fault("g/0"), stderr=story), Path("results"))
    assert told_lines[-4:] == [
        "  Traceback:",
        '    File "bot.py", line 8, in act',
        r"      raise\u001b ValueError",
        "  ValueError: x",
    ]


def test_of_a_long_stderr_the_first_and_the_last_lines_are_shown_and_how_many_are_not() -> None:
    """Node says at the beginning what went wrong, Python at the end."""
    lines = process_lines("".join(f"line {number}\n\n" for number in range(30)), "exit status 1")
    assert lines[:2] == ["stderr:", "  line 0"]
    assert lines[-4:] == ["  line 27", "  line 28", "  line 29", "process: exit status 1"]
    [gap] = [line for line in lines if "…" in line]
    assert gap == f"  … {30 - (len(lines) - 3)} lines …"
    assert process_lines(" \n", "still running") == ["stderr: nothing", "process: still running"]
