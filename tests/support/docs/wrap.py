"""The width of the pages in docs/: prose fits 80 columns. `python -m tests.support.docs.wrap` rewraps longer lines.

The rule: a line outside tables and code blocks has at most 80 columns; the target of a link and an address do not
count. Of all pages but the rules, whose formulas and lists are long, and the news fragments, which have one line.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tests.support.paths import DOCS

WIDTH = 80
RULES = DOCS / "reference" / "rules.md"
_TARGET = re.compile(r"\]\([^)]*\)|https?://\S+")
_UNBROKEN = re.compile(r"\[[^\]]*\]\([^)]*\)|`[^`]*`")
_BEGIN = re.compile(r"( *)([-*] |\d+\. )?")


def wrapped_pages() -> list[Path]:
    """Return the pages that follow the rule."""
    return [page for page in sorted(DOCS.rglob("*.md")) if page != RULES and "newsfragments" not in page.parts]


def columns(line: str) -> int:
    """Return how many columns of a line count."""
    return len(_TARGET.sub("]", line))


def too_long(text: str) -> list[str]:
    """Return the lines that break the rule."""
    return [line for line, is_prose in _lines(text) if is_prose and columns(line) > WIDTH]


def wrapped(text: str) -> str:
    """Return a page in which each paragraph and list item with too long a line is rewrapped."""
    lines = list(_lines(text))
    found: list[str] = []
    at = 0
    while at < len(lines):
        line, is_prose = lines[at]
        end = at + 1
        if is_prose and line.strip():
            while end < len(lines) and _continues(*lines[end]):
                end += 1
        block = [one for one, _ in lines[at:end]]
        is_long = is_prose and any(columns(one) > WIDTH for one in block)
        found += list(_broken(block)) if is_long else block
        at = end
    return "\n".join(found) + "\n"


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it is prose: not a heading, a row of a table or a tag, and not in a code block.

    Code is between fences, or after a blank line with an indent of four or more.
    """
    is_fenced = is_indented = False
    before = ""
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        deep = line.startswith("    ")
        is_indented = (is_indented and (deep or not line.strip())) or (deep and not before.strip())
        yield line, not (fence or is_fenced or is_indented or line.lstrip().startswith(("#", "|", "<")))
        is_fenced ^= fence
        before = line


def _continues(line: str, is_prose: bool) -> bool:
    """Return whether a line continues the paragraph before it."""
    begin = _BEGIN.match(line)
    assert begin is not None  # it matches the empty text
    return is_prose and bool(line.strip()) and begin.group(2) is None


def _broken(block: list[str]) -> Iterator[str]:
    begin = _BEGIN.match(block[0])
    assert begin is not None  # it matches the empty text
    indent, mark = begin.group(1), begin.group(2) or ""
    text = " ".join(line.strip() for line in block).removeprefix(mark)
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        """Stand in for a link or code by a word as long as the columns that count."""
        kept.append(found.group())
        return chr(0xE000 + len(kept) - 1) * columns(found.group())

    lines = textwrap.wrap(
        _UNBROKEN.sub(keep, text),
        WIDTH,
        initial_indent=indent + mark,
        subsequent_indent=indent + " " * len(mark),
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in lines:
        yield re.sub(r"([\ue000-\uf8ff])\1*", lambda found: kept[ord(found.group(1)) - 0xE000], line)


def main() -> None:
    """Rewrap the long lines of all pages."""
    for page in wrapped_pages():
        text = page.read_text(encoding="utf-8")
        if too_long(text):
            page.write_text(wrapped(text), encoding="utf-8")


if __name__ == "__main__":
    main()
