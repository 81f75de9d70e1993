"""Every page as `bowerbird docs` prints it fits the terminal, and every command it names in place of a link prints
something."""

from __future__ import annotations

import pytest

from bowerbird.harness.cli.display.page_text import page_text
from bowerbird.harness.cli.shared.doc_pages import PROTO, all_pages, find_page, link_commands, section_text

WIDTHS = (60, 80, 200)
PAGES = [page.name for page in all_pages() if page.kind != PROTO]


@pytest.mark.parametrize("name", PAGES)
def test_every_command_in_place_of_a_link_prints_something(name: str) -> None:
    page = find_page(name)
    command_of = link_commands(page)
    commands = []

    def collected(target: str) -> str | None:
        command = command_of(target)
        assert command is not None or target.startswith("#"), target
        commands.append(command or "")
        return command

    page_text(page.text(), collected, 80)
    for command in commands:
        if command.startswith("bowerbird docs "):
            _, _, linked, *section = command.split()
            assert shown_part(linked, " ".join(section))


def shown_part(name: str, section: str) -> str:
    page = find_page(name)
    return section_text(page, section) if section else page.text()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_the_width(name: str, width: int) -> None:
    """A line is too long only in code, or where it is a single word or command after its indent."""
    page = find_page(name)
    text = page_text(page.text(), link_commands(page), width)
    assert "](" not in without_code(text)
    for line in without_code(text).splitlines():
        is_one_word = " " not in line.strip(" -*|>0123456789.")
        assert len(line) <= width or line.startswith("#") or is_one_word, line


def without_code(text: str) -> str:
    """Return a page without its fenced and indented code."""
    lines, is_code = [], False
    for line in text.splitlines():
        is_fence = line.lstrip().startswith("```")
        if not (is_code or is_fence or line.startswith("    ")):
            lines.append(line)
        is_code ^= is_fence
    return "\n".join(lines)
