"""The generated parts of pages: what is between `<!-- begin NAME -->` and `<!-- end NAME -->`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path


def part(page: Path, name: str) -> str:
    """Return the text of a generated part as it stands in a page."""
    found = _pattern(name).search(page.read_text(encoding="utf-8"))
    assert found is not None, f"{page} has no part {name!r}"
    return found.group(1).removesuffix("\n")


def with_part(page: str, name: str, text: str) -> str:
    """Return the text of a page with one part replaced by `text`."""
    return _pattern(name).sub(lambda _found: f"{text}\n", page)


def write_parts(parts: Mapping[Path, Mapping[str, Callable[[], str]]]) -> None:
    """Regenerate parts: by page and name, the function that returns the text."""
    for page, makers in parts.items():
        text = page.read_text(encoding="utf-8")
        for name, make in makers.items():
            text = with_part(text, name, make())
        page.write_text(text, encoding="utf-8")


def _pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of a part; its first group is the text."""
    return re.compile(rf"(?<=<!-- begin {name} -->\n)(.*?)(?=<!-- end {name} -->)", re.DOTALL)
