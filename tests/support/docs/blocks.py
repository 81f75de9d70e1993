"""The blocks of code on pages and in the READMEs: commands, files and programs that a reader copies."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support.paths import DOCS, ROOT

NEWS = DOCS / "newsfragments"
README = ROOT / "README.md"
GUIDES = [README, *sorted((DOCS / "tutorials").glob("*.md")), *sorted((DOCS / "how-to").glob("*.md"))]
"""The pages that a new user reads and copies from."""

PAGES = [
    README,
    ROOT / "CONTRIBUTING.md",
    ROOT / "HACKING.md",
    ROOT / "bots" / "README.md",
    *sorted((ROOT / "bots" / "starters").glob("*/README.md")),
    *sorted((ROOT / "examples").rglob("README.md")),
    *(page for page in sorted(DOCS.rglob("*.md")) if page.parent != NEWS),
]
"""All pages that show commands."""


class Block(NamedTuple):
    """A fenced block. `language` is "" if the fence names none."""

    page: str
    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    name = page.relative_to(ROOT).as_posix()
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [Block(name, language, text) for language, text in found]


def block(page: Path, language: str, mark: str) -> str:
    """Return the text of the one block of a page that has this language and contains `mark`."""
    [found] = [one.text for one in blocks(page) if one.language == language and mark in one.text]
    return found


def shown_commands(page: Path) -> Iterator[list[str]]:
    """Yield the words of each `bowerbird` command in the plain blocks of a page, without "bowerbird" and comments."""
    for one in blocks(page):
        if one.language not in ("", "text", "console", "sh"):
            continue
        for line in one.text.replace("\\\n", "").splitlines():  # a backslash continues a command
            command = line.removeprefix("$ ")
            if command.startswith("bowerbird ") and "[OPTIONS]" not in command:
                yield shlex.split(command, comments=True)[1:]


def named_commands(page: Path) -> Iterator[list[str]]:
    """Yield the words of each `bowerbird` command in the running text of a page, such as `bowerbird match`."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for command in re.findall(r"`bowerbird ([^`]+?)`", text.replace("\n", " ")):
        yield shlex.split(command)
