"""The results of `check-bot` as text for people: a table, then each cause of failures once, on at most two screens.

The bot's output is made printable first.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from bowerbird.harness.cli.display.faults import printable
from bowerbird.harness.extras.compliance.results import Verdict

if TYPE_CHECKING:
    from bowerbird.harness.extras.compliance.results import Evidence, RequirementResult

COLUMNS = 80
MAX_LINES = 78
"""The maximum number of output lines unless verbose: two screens of 40, less the prompt and a remark."""

SCREEN_LINES = 38
"""The number of lines up to which the last cause can show more of stderr."""

CLOSING_LINES = 4
"""The number of lines after the failures: a blank one, the path of the log, a blank one, the summary."""

MESSAGES = 4
"""How many of a failure's last messages are shown: fewer if there is little room."""

STDOUT_LINES = (0, 1)
STDERR_LINES = (5, 2)
LONG_STDERR_LINES = ((12, 6), (8, 4))
"""How many first and last lines of an output to show.

The error is in the last line of a traceback (Python) or in one of the first five (Node, Java, Go).
"""

FEW_STDERR_LINES = (0, 3)
"""The same if the screens are nearly full."""

LONGEST_INDENT = 24
WORDS = {Verdict.PASS: "pass", Verdict.FAIL: "fail", Verdict.NOT_REACHED: "not reached"}


class CheckDisplay:
    """A writer of results as they come. Call `finish` after the last one.

    Requirements that fail for the same cause share a line, as do those not reached for the same reason.
    """

    def __init__(self, write: Callable[[str], None], *, verbose: bool) -> None:
        """Create a writer that calls `write` for each line.

        If `verbose`, write everything, with lines of any length.
        """
        self._write_line = write
        self._verbose = verbose
        self._lines = 0
        self._failed: dict[str, list[RequirementResult]] = {}
        self._not_reached: dict[str, list[int]] = {}

    def add(self, result: RequirementResult) -> None:
        """Take the next result."""
        if result.verdict is Verdict.NOT_REACHED:
            self._not_reached.setdefault(result.detail, []).append(result.number)
        elif result.verdict is Verdict.FAIL and not self._verbose:
            alike = self._failed.setdefault(result.cause, [])
            alike.append(result)
            if len(alike) == 1:
                self._write([_table_line(result, verbose=False)])
        else:
            self._write([_table_line(result, verbose=self._verbose)])

    def finish(self) -> None:
        """Write the requirements that have no line yet, grouped by cause."""
        for alike in self._failed.values():
            if len(alike) > 1:
                numbers = numbers_text([result.number for result in alike[1:]])
                verb = "fails" if len(alike) == 2 else "fail"
                self._write(_wrapped(f"{numbers}: {verb} for the same cause as {alike[0].number}"))
        for why, missed in self._not_reached.items():
            self._write(_wrapped(f"{numbers_text(missed)}: not reached, because {printable(why)}"))

    def explain(self) -> None:
        """Write why requirements failed: each cause once, the first in detail, the others if there is space."""
        causes = [alike[0] for alike in self._failed.values()]
        for at, result in enumerate(causes):
            room = MAX_LINES - CLOSING_LINES - self._lines
            others = len(causes) - at - 1
            screen = 0 if others else SCREEN_LINES - CLOSING_LINES - self._lines
            lines = _story_within(result, room - min(others, 2), screen)
            if at > 0 and len(lines) > room - others:
                lines = [_cut(f"{result.number:>2}  failed: {result.detail}")]
            if at > 0 and others and room < 2:
                self._write([f"and {others + 1} more causes"])
                return
            self._write(lines)

    def _write(self, lines: Sequence[str]) -> None:
        self._lines += len(lines)
        for line in lines:
            self._write_line(line)


def summary_text(results: Sequence[RequirementResult]) -> str:
    """Return "53 passed, 1 failed, 0 not reached"."""
    count = Counter(result.verdict for result in results)
    passed, failed, not_reached = (count[verdict] for verdict in Verdict)
    return f"{passed} passed, {failed} failed, {not_reached} not reached"


def full_stories(results: Sequence[RequirementResult]) -> Iterator[str]:
    """Yield all details of the failures, in lines of any length."""
    for result in results:
        if result.verdict is Verdict.FAIL:
            yield from ("", f"{result.number}  {result.sentence}", f"    failed: {_clean(result.detail)}")
            if result.evidence is not None:
                yield from (f"    {line}" for line in _full_evidence(result.evidence))


def numbers_text(numbers: Sequence[int]) -> str:
    """Return text such as "9", "9 and 10" or "9 to 16, 19 and 21 to 54"; `numbers` must ascend."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1].append(number)
        else:
            ranges.append([number])
    parts: list[str] = []
    for each in ranges:
        parts += [f"{each[0]} to {each[-1]}"] if len(each) > 2 else map(str, each)
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


def _table_line(result: RequirementResult, *, verbose: bool) -> str:
    """Return the line of a requirement that passed or failed, with as much of the detail as fits."""
    line = f"{result.number:>2}  {WORDS[result.verdict]}  {result.sentence}"
    detail = printable(result.detail)
    if verbose:
        return f"{line}  ({_clean(result.detail)})" if detail else line
    if result.verdict is Verdict.FAIL:
        return line
    parts = detail.split("; ")
    while parts and len(line) + len(f"  ({'; '.join(parts)})") > COLUMNS:
        parts.pop()
    return f"{line}  ({'; '.join(parts)})" if detail and parts else line


def _story_within(result: RequirementResult, room: int, screen: int) -> list[str]:
    """Return why a requirement failed: if possible in `room` lines, with more of stderr if it fits in `screen`
    lines."""
    for stderr in LONG_STDERR_LINES:
        story = _short_story(result, MESSAGES, stderr)
        if len(story) <= screen:
            return story
    sizes = [*((messages, STDERR_LINES) for messages in range(MESSAGES, 0, -1)), (1, FEW_STDERR_LINES)]
    for messages, stderr in sizes:
        story = _short_story(result, messages, stderr)
        if len(story) <= room:
            break
    return story


def _short_story(result: RequirementResult, messages: int, stderr: tuple[int, int]) -> list[str]:
    """Return why a requirement failed, with its last messages and the first and last lines of its stderr."""
    why = textwrap.wrap(_clean(f"failed: {result.detail}"), COLUMNS - 6, max_lines=2, placeholder=" …")
    lines = ["", f"{result.number:>2}  {result.sentence}", *(f"    {line}" for line in why)]
    if result.evidence is None:
        return lines
    evidence = result.evidence
    shown = evidence.messages[-messages:]
    lines.append("    last messages (-> to the bot, <- from the bot):" if shown else "    messages: none")
    lines += [_cut(f"      {message.strip()}") for message in shown]
    lines += _short_output("stdout", evidence.stdout, *STDOUT_LINES)
    lines += _short_output("stderr", evidence.stderr, *stderr)
    return [*lines, _cut(f"    process: {evidence.ended}")]


def _short_output(name: str, text: str, first: int, last: int) -> list[str]:
    written = [line for line in text.splitlines() if printable(line)]
    if not written:
        return [f"    {name}: nothing"]
    if len(written) <= first + last:
        return [f"    {name}:", *(_cut(f"      {line}") for line in written)]
    shown = [*written[:first], *([f"… {len(written) - first - last} lines …"] if first else []), *written[-last:]]
    return [f"    {name}, {first + last} of {len(written)} lines:", *(_cut(f"      {line}") for line in shown)]


def _full_evidence(evidence: Evidence) -> Iterator[str]:
    yield "last messages (-> to the bot, <- from the bot):"
    yield from (f"  {_clean(message)}" for message in evidence.messages)
    for name, text in (("stdout", evidence.stdout), ("stderr", evidence.stderr)):
        written = text.splitlines()
        yield f"{name}:" if written else f"{name}: nothing"
        yield from (f"  {_indent(line)}{_clean(line)}" for line in written)
    yield f"process: {_clean(evidence.ended)}"


def _clean(text: str) -> str:
    """Return untrusted text made printable, in full."""
    return printable(text, None)


def _cut(line: str) -> str:
    """Return untrusted text as one indented line of the table's width."""
    indent = _indent(line)
    return f"{indent}{printable(line, COLUMNS - len(indent))}"


def _indent(line: str) -> str:
    return " " * min(LONGEST_INDENT, len(line) - len(line.lstrip(" ")))


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, COLUMNS, subsequent_indent="    ")
