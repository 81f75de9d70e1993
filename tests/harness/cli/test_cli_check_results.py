"""The results of `check-bot` as a person sees them: each cause once, in 80 columns, on two screens."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import pytest

from bowerbird.harness.extras.compliance.check_results import COLUMNS, CheckDisplay, full_stories, numbers_text
from bowerbird.harness.extras.compliance.requirements import REQUIREMENTS, Requirement, requirements_for
from bowerbird.harness.extras.compliance.results import STILL_RUNNING, Evidence, RequirementResult, Verdict
from tests.support.bots.built_bots import ready
from tests.support.paths import ROOT

SCREENS = 80
"""Lines of two screens."""

TRACEBACK = "Traceback (most recent call last):\n" + "".join(f'  File "bot.py", line {n}\n' for n in range(60))


def sentences() -> tuple[Requirement, ...]:
    return requirements_for(ready(ROOT / "bots/random"))


def result(sentence: Requirement, verdict: Verdict, detail: str = "", last: str = "") -> RequirementResult:
    """Return a result; `last` is the last line of a crash, "" for none."""
    evidence = None
    if verdict is Verdict.FAIL:
        messages = tuple(f"{at:>6} ms  -> {'table_opened ' * 50}" for at in range(12))
        ended = "exit status 1" if last else STILL_RUNNING
        evidence = Evidence(messages, "noise\n" * 90, f"{TRACEBACK}{last}\n" if last else "", ended)
    return RequirementResult(sentence.number, sentence.text, verdict, detail, evidence)


def shown(results: Iterable[RequirementResult], *, verbose: bool = False) -> list[str]:
    lines: list[str] = []
    display = CheckDisplay(lines.append, verbose=verbose)
    for each in results:
        display.add(each)
    display.finish()
    display.explain()
    return lines


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([9], "9"),
        ([9, 10], "9 and 10"),
        ([9, 10, 11], "9 to 11"),
        ([9, 10, 11, 19, 21, 22, 24, 25, 26], "9 to 11, 19, 21, 22 and 24 to 26"),
    ],
)
def test_numbers_are_ranges(numbers: Sequence[int], text: str) -> None:
    assert numbers_text(numbers) == text


def test_the_table_of_a_bot_that_passes_fits_its_columns() -> None:
    """A detail is shown as far as it fits: a part of it or nothing, but never cut in the middle of a part."""
    detail = "31 games, 223 decisions; asked: call, claim, decline, defend, dictate, discard, order, pass, play"
    lines = shown(result(each, Verdict.PASS, detail) for each in sentences())
    assert len(lines) == len(sentences())
    assert max(map(len, lines)) <= COLUMNS
    assert "35  pass  It plays euchre at every seat.  (31 games, 223 decisions)" in lines


def test_every_sentence_fits_its_line() -> None:
    assert [each.text for each in sentences() if len(each.text) > COLUMNS - len("10  pass  ")] == []


def test_a_crash_is_one_cause_however_often_it_happens() -> None:
    """Only what it was asked differs."""
    results = [
        result(each, Verdict.FAIL, f"its process ended; expected decision {each.number}", "KeyError: 'x'")
        for each in sentences()
    ]
    lines = shown(results)
    assert lines[:2] == [f" 1  fail  {REQUIREMENTS[0].text}", f"2 to {len(results)}: fail for the same cause as 1"]
    assert sum("KeyError" in line for line in lines) == 1
    assert len(lines) < SCREENS / 2


def test_other_failures_are_other_causes() -> None:
    first, second, third = sentences()[:3]
    results = [
        result(first, Verdict.FAIL, "its process ended", "KeyError: 'x'"),
        result(second, Verdict.FAIL, "its process ended", "IndexError: 7"),
        result(third, Verdict.FAIL, "no message came within 5 s; expected its Ready"),
    ]
    assert len({each.cause for each in results}) == 3
    lines = shown(results)
    for each, words in zip(
        results, ("KeyError: 'x'", "IndexError: 7", "failed: no message came within 5 s"), strict=True
    ):
        assert any(words in line for line in lines), each


@pytest.mark.parametrize("failing", [1, 2, 5, 20, 55])
def test_never_more_than_two_screens(failing: int) -> None:
    """The last sentences fail, each for a cause of its own."""
    every = sentences()
    words = ["".join(chr(ord("a") + int(digit)) for digit in str(number)) for number in range(len(every))]
    results = [
        result(each, Verdict.FAIL, f"it sent a {word}", f"Error: {word}")
        if len(every) - at <= failing
        else result(each, Verdict.PASS)
        for at, (each, word) in enumerate(zip(every, words, strict=True))
    ]
    lines = shown(results)
    assert len({each.cause for each in results if each.evidence}) == failing
    assert len(lines) + 4 <= SCREENS, "a blank line, the log's path, a blank line and the summary follow"
    assert max(map(len, lines)) <= COLUMNS
    assert f"      Error: {words[-failing]}" in lines, "the first cause is told with its evidence"


def test_the_fifth_line_of_stderr_is_shown_though_a_stack_follows() -> None:
    """There Node says what went wrong."""
    stack = "".join(f"    at call{number}\n" for number in range(40))
    stderr = f"ready\n\nbot.js:7\n  act();\n  ^\n\nTypeError: no queen\n{stack}Node.js v20\n"
    every = sentences()
    failed = dataclasses.replace(
        result(every[-1], Verdict.FAIL, "its process ended"),
        evidence=Evidence((), "", stderr, "exit status 1"),
    )
    for passed in (0, 54):
        lines = shown([*(result(each, Verdict.PASS) for each in every[:passed]), failed])
        assert "      TypeError: no queen" in lines
        assert "      Node.js v20" in lines
        assert len(lines) + 4 <= SCREENS


def test_a_detail_that_is_cut_says_so() -> None:
    lines = shown([result(REQUIREMENTS[0], Verdict.FAIL, "legal are " + "0 'pass', " * 40)])
    assert any(line.endswith(" …") and "pass" in line for line in lines)


def test_not_reached_is_said_once_for_each_reason() -> None:
    results = [
        result(each, Verdict.NOT_REACHED, "requirement 1 failed" if each.number % 9 else "a sandbox has no network")
        for each in sentences()[1:55]
    ]
    text = " ".join(line.strip() for line in shown(results))
    assert text.startswith(
        "2 to 8, 10 to 17, 19 to 26, 28 to 35, 37 to 44, 46 to 53 and 55: not reached, because requirement 1"
    )
    assert text.endswith("9, 18, 27, 36, 45 and 54: not reached, because a sandbox has no network")


def test_the_full_story_has_every_line() -> None:
    failed = result(REQUIREMENTS[0], Verdict.FAIL, "it sent \x1b[31m", "KeyError: 'x'")
    lines = list(full_stories([failed]))
    assert sum('File "bot.py"' in line for line in lines) == 60
    assert sum("table_opened" in line for line in lines) == 12
    assert r"    failed: it sent \u001b[31m" in lines
