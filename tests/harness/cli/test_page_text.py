"""How `bowerbird docs` prints a page (bowerbird.harness.cli.display.page_text)."""

from __future__ import annotations

import pytest

from bowerbird.harness.cli.display.page_text import page_text
from bowerbird.harness.cli.shared.doc_pages import find_page, link_commands


def shown(text: str, width: int | None = 80) -> str:
    """Return `text` as the page faults would show it."""
    return page_text(text, link_commands(find_page("faults")), width)


@pytest.mark.parametrize(
    ("link", "text"),
    [
        ("[ratings](../explanation/ratings.md)", "`bowerbird docs ratings`"),
        ("[ratings.md](../explanation/ratings.md#deal-sets)", "`bowerbird docs ratings deal-sets`"),
        ("[ratings.md, Deal sets](../explanation/ratings.md#deal-sets)", "`bowerbird docs ratings deal-sets`"),
        ("[The\nclock](protocol.md#the-clock)", "The clock (`bowerbird docs protocol the-clock`)"),
        ("[below](#isolation)", "below"),
        ("[a file](nowhere.md)", "a file"),
        ("[grpcurl](https://example.org/x#y)", "grpcurl (`https://example.org/x#y`)"),
        ("[`seat`](../../proto/bowerbird/seat/v1/seat.proto)", "`seat` (`bowerbird docs seat.proto`)"),
        ("`[no](link.md)`", "`[no](link.md)`"),
        ("![A picture\nof it](nowhere.svg)", "A picture of it"),
    ],
)
def test_a_link_names_what_a_reader_can_type(link: str, text: str) -> None:
    assert shown(f"See {link}.") == f"See {text}."


def test_comments_and_anchors_are_not_printed() -> None:
    text = '# T\n\n<!-- begin x -->\nText.\n<!-- end x -->\n\n<a id="a1"></a>\n\n### A1\n<a id="b"></a>Left.\n'
    assert shown(text) == "# T\n\nText.\n\n### A1\nLeft."


def test_a_wide_table_is_wrapped_in_its_columns() -> None:
    text = "| a | meaning |\n|---|---|\n| `x \\| y` | one two three four five |\n| z | |\n"
    assert shown(text, 21) == (
        "a        meaning\n───────  ────────────\n`x | y`  one two\n         three four\n         five\nz"
    )


def test_code_is_printed_as_it_is_written() -> None:
    code = "```python\nx = [a](b)  # <!-- c -->\n\n\n| y | z |\n" + "w " * 60 + "\n```"
    assert shown(f"Text.\n\n{code}\n\nMore.\n", 40) == f"Text.\n\n{code}\n\nMore."
    indented = "    a  b [c](d)\n\n    e"
    assert shown(f"Text.\n\n{indented}\n\nMore.\n", 10) == f"Text.\n\n{indented}\n\nMore."


def test_without_a_width_lines_stay_as_they_are_written() -> None:
    text = "a " * 100 + "\n\n| b | c |\n|---|---|\n| d | e |"
    assert shown(text, None) == text.replace(" \n", "\n")
