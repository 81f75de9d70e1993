"""A page of docs/ as text for a terminal. Links show the command or address to type; paragraphs and tables are wrapped.

Code blocks, inline code and emphasis stay unchanged. A picture becomes its text and the path of its file. HTML comments
and anchors are left out.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence

Commands = Callable[[str], str | None]
"""Maps the target of a link to the command or address that replaces it; None if the link's text is enough.
"""

NARROWEST = 8
"""The smallest width of a column. A table with too many columns is therefore wider than the output."""

PROSE = 80
"""The longest line of prose, in columns, however wide the terminal is."""

_FENCE = re.compile(r" *(```|~~~)")
_HIDDEN = re.compile(r'<!--.*?-->|<a (?:id|name)="[^"]*"></a>', re.DOTALL)
_LINK = re.compile(r"(?P<code>`[^`]*`)|!?\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
_CELL = re.compile(r"(?<!\\)\|")
_ITEM = re.compile(r" *(?:[-*] |\d+\. )?")


def page_text(text: str, commands: Commands, width: int | None) -> str:
    """Return a page, or part of one, as printable text.

    commands: what to print for the target of each link.
    width: the longest line of prose and tables; None for no limit, which leaves lines and tables unchanged.
    """
    lines: list[str] = []
    for block, is_code in _blocks(text):
        if is_code:
            lines += block
            continue
        shown = _LINK.sub(lambda link: _link_text(link, commands), "\n".join(block))
        kept = _HIDDEN.sub("", shown).splitlines() if shown.strip() else block
        if not "".join(kept).strip():
            kept = [""] if not shown.strip() else []
        for line in kept if width is None else _fitted(kept, width, shown != "\n".join(block)):
            if line.strip() or (lines and lines[-1].strip()):
                lines.append(line.rstrip())
    return "\n".join(lines).strip("\n")


def _blocks(text: str) -> Iterator[tuple[list[str], bool]]:
    """Yield each block of a page, and True if it is code.

    A block is fenced code, indented code, or any other lines between blank lines. A blank line is its own block.
    """
    block: list[str] = []
    is_fenced = is_blank = False
    for line in text.splitlines():
        fence = _FENCE.match(line) is not None
        if fence and not is_fenced:
            if block:
                yield block, False
            block = [line]
        elif fence:
            yield [*block, line], True
            block = []
        elif is_fenced:
            block.append(line)
        elif not line.strip():
            if block:
                yield block, False
            yield [""], False
            block = []
        elif line.startswith("    ") and not block and is_blank:
            yield [line], True
        else:
            block.append(line)
        is_fenced ^= fence
        is_blank = not line.strip() or (is_blank and line.startswith("    ") and not block)
    if block:
        yield block, is_fenced


def _link_text(link: re.Match[str], commands: Commands) -> str:
    """Return inline code unchanged. For a link, return its text, the replacement of its target, or both."""
    if link["code"] is not None:
        return link["code"]
    text, target = link["text"], commands(link["target"])
    if target is None:
        return text
    page, is_cited, _ = " ".join(text.split()).strip("`").partition(".md")
    names_page = f"{target} ".startswith(f"bowerbird docs {page} ") and (is_cited or target.endswith(f" {page}"))
    return f"`{target}`" if names_page or target == page else f"{text} (`{target}`)"


def _fitted(block: Sequence[str], width: int, has_links: bool) -> Iterator[str]:
    """Yield the lines of a block. Align tables in columns, and wrap paragraphs and items if necessary."""
    at = 0
    while at < len(block):
        end = at + 1
        is_row = block[at].startswith("|")
        if is_row:
            while end < len(block) and block[end].startswith("|"):
                end += 1
            yield from _table(block[at:end], width)
        else:
            while end < len(block) and not block[at].startswith("#") and _continues(block[end]):
                end += 1
            yield from _wrapped(block[at:end], min(width, PROSE), has_links)
        at = end


def _continues(line: str) -> bool:
    """Return True if a line belongs to the paragraph or item before it."""
    item = _ITEM.match(line)
    assert item is not None, "the pattern matches an empty text"
    return not line.startswith(("|", "#")) and not item[0].strip()


def _wrapped(lines: Sequence[str], width: int, is_changed: bool) -> list[str]:
    """Return a paragraph or an item. Wrap it again if it was changed or has too long a line."""
    if lines[0].startswith("#") or (not is_changed and max(map(len, lines)) <= width):
        return list(lines)
    item = _ITEM.match(lines[0])
    assert item is not None, "the pattern matches an empty text"
    text = " ".join([lines[0].rstrip(), *(line.strip() for line in lines[1:])])
    indent = " " * len(item[0])
    return textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _table(lines: Sequence[str], width: int) -> Iterator[str]:
    """Yield a table in columns, with wide cells wrapped inside their column."""
    rows = [
        [cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip())[1:-1]]
        for line in lines
        if set(line) - set("|-: ")
    ]
    count = max(map(len, rows), default=0)
    rows = [[*row, *[""] * (count - len(row))] for row in rows]
    widths = _widths(rows, width - 2 * (count - 1))
    for number, row in enumerate(rows):
        cells = [_cell(cell, wide) for cell, wide in zip(row, widths, strict=True)]
        for part in range(max(map(len, cells), default=0)):
            texts = [cell[part] if part < len(cell) else "" for cell in cells]
            yield "  ".join(text.ljust(wide) for text, wide in zip(texts, widths, strict=True)).rstrip()
        if number == 0:
            yield "  ".join("─" * wide for wide in widths)


def _cell(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return the widths of the columns.

    Wide columns are narrowed until all fit, but if possible not below their longest word.
    """
    columns = list(zip(*rows, strict=True))
    widths = [max(1, *map(len, column)) for column in columns]
    words = [max(NARROWEST, *(len(word) for cell in column for word in cell.split() or [""])) for column in columns]
    for floors in (words, [NARROWEST] * len(columns)):
        while sum(widths) > room and (able := [at for at, wide in enumerate(widths) if wide > floors[at]]):
            widths[max(able, key=lambda at: widths[at])] -= 1
    return widths
