"""A page of markdown as citations and links see it: headings, anchors, numbered rules, rows, links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

_FENCE = re.compile(r"^ *(```|~~~)")
_HEADING = re.compile(r"^(#{1,6}) +(.+?) *#*$")
_ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
_LINK = re.compile(r"(?<!!)\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)|^ *\[[^\]]+\]: +(\S+)", re.MULTILINE)
_NUMBERED = re.compile(
    r"^#+ (?P<heading>[ABDV]\d+)\b"
    r"|^(?:- )?\*\*(?P<bold>[ABDELOTV]\d+(?:\.\d+)*)\b"
    r"|^\| (?P<row>[ABDEV]\d+(?:\.\d+)*) \|"
)
_LETTER = re.compile(r"\(([a-z])\) ")


@dataclass(frozen=True)
class Heading:
    """A heading of a page: its level, its text without backquotes, and the number of its line, from 1."""

    level: int
    text: str
    line: int


@dataclass(frozen=True)
class Page:
    """A page of markdown.

    lines: its text, with the lines of code blocks empty. headings: in order. anchors: what a link may name after `#`.
    rules: the numbers of its rules ("A14", "V12.5.3", "V12.9a") with the line of each; each is there once.
    """

    path: Path
    lines: tuple[str, ...]
    headings: tuple[Heading, ...]
    anchors: frozenset[str]
    rules: dict[str, int] = field(hash=False)

    def section(self, heading: Heading) -> list[str]:
        """Return the lines below a heading, up to the next one of its level or above."""
        after = [other for other in self.headings if other.line > heading.line and other.level <= heading.level]
        return list(self.lines[heading.line : after[0].line - 1 if after else None])

    def rows(self, heading: Heading) -> dict[int, int]:
        """Return the numbered rows of the tables below a heading, with the line of each."""
        found = {}
        for line, text in enumerate(self.section(heading), heading.line + 1):
            row = re.match(r"\| *(\d+) *\|", text)
            if row is not None:
                found[int(row.group(1))] = line
        return found

    def links(self) -> Iterator[tuple[int, str]]:
        """Yield the target of each link, with its line."""
        text = "\n".join(re.sub(r"`[^`]*`", "", line) for line in self.lines)
        for found in _LINK.finditer(text):
            yield text.count("\n", 0, found.end()) + 1, found.group(1) or found.group(2)


def slug(title: str) -> str:
    """Return the anchor that a heading has on a page, as GitHub and MyST make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")


@lru_cache
def read_page(path: Path) -> Page:
    """Read a page. Raises ValueError if two rules have the same number."""
    lines = []
    is_code = False
    for line in path.read_text(encoding="utf-8").splitlines():
        fence = _FENCE.match(line) is not None
        lines.append("" if fence or is_code else line)
        is_code ^= fence
    headings = []
    anchors: set[str] = set()
    for number, line in enumerate(lines, 1):
        anchors.update(_ANCHOR.findall(line))
        found = _HEADING.match(line)
        if found is not None:
            headings.append(Heading(len(found.group(1)), found.group(2).replace("`", ""), number))
            anchor = slug(found.group(2))
            count = sum(slug(other.text) == anchor for other in headings[:-1])
            anchors.add(f"{anchor}-{count}" if count else anchor)
    return Page(path, tuple(lines), tuple(headings), frozenset(anchors), dict(_rules(path, lines)))


def _rules(path: Path, lines: list[str]) -> Iterator[tuple[str, int]]:
    """Yield the number of each rule with its line, and the letters "(a)" of its text as "V12.9a"."""
    known: set[str] = set()
    current = ""
    for number, line in enumerate(lines, 1):
        found = _NUMBERED.match(line)
        if found is not None:
            current = next(one for one in found.groups() if one is not None)
            if current in known:
                raise ValueError(f"{path.name}:{number}: a second rule {current}")
            known.add(current)
            yield current, number
        elif line.startswith("#"):
            current = ""
        if current:
            for letter in _LETTER.findall(line):
                if f"{current}{letter}" not in known:
                    known.add(f"{current}{letter}")
                    yield f"{current}{letter}", number
