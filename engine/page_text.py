"""The layout of a variant's page as 80-column text.

Authors write the paragraphs of a page with lines of any length. Numbers set by options are inserted before the layout,
so they cannot make a line too long.
"""

from __future__ import annotations

import re
from textwrap import fill

WIDTH = 80
"""The width of a page in columns. A page is also sent to bots, so its width cannot depend on a terminal."""

_BLOCK = re.compile(r"\n(?=\S| {2}\S|\n)")
"""The break before a line that starts a block; lines with deeper indentation continue the block."""

_PARAGRAPH = re.compile(r"(?!Points)(?P<label>[A-Z]\w+ {2,}| {2}\d {2}(?=\S))(?P<text>.+)", re.DOTALL)
"""A block to fill: a label or a step number, and text. Other blocks, such as rows of tables, stay as written."""


def laid_out(page: str) -> str:
    r"""Return `page` with every labelled paragraph and every numbered step filled to `WIDTH` columns.

    >>> print(laid_out("Seats   4 players\n        in two teams.\n  plain   alone\n      2       4"))
    Seats   4 players in two teams.
      plain   alone
          2       4
    """
    return "\n".join(_filled(block) for block in _BLOCK.split(page))


def _filled(block: str) -> str:
    paragraph = _PARAGRAPH.fullmatch(block)
    if paragraph is None:
        return block
    label = paragraph["label"]
    words = " ".join(paragraph["text"].split())
    return fill(words, WIDTH, initial_indent=label, subsequent_indent=" " * len(label), break_on_hyphens=False)
