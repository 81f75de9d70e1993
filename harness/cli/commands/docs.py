"""`bowerbird docs [PAGE] [SECTION]`: the pages that come with the program."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from bowerbird.engine import counted
from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.options import debug_option, examples, json_option
from bowerbird.harness.cli.shared.output import command_line, output_width, print_json, print_lines

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from bowerbird.harness.cli.shared.doc_pages import Hit, Page

MOST_HITS = 20
"""The most sections that a search lists on the screen."""


def _complete_page(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a page."""
    from click.shell_completion import CompletionItem

    from bowerbird.harness.cli.shared.doc_pages import all_pages

    return [CompletionItem(page.name, help=page.title) for page in all_pages() if page.name.startswith(incomplete)]


@click.command(
    "docs",
    epilog=examples("docs protocol", "docs rules V12.9", "docs --search swiss"),
)
@click.argument("page", required=False, shell_complete=_complete_page)
@click.argument("section", nargs=-1)
@click.option("--search", "word", metavar="WORD", help="List the sections that contain this word.")
@json_option
@debug_option
def command(page: str | None, section: tuple[str, ...], word: str | None, as_json: bool) -> None:
    """List the documentation pages, or print PAGE.

    SECTION is a heading of the page, or a number such as V12, V12.9 or A7, and prints only that section. On a terminal
    the text opens in a pager. The protocol's .proto files are pages, too.
    """
    from bowerbird.harness.cli.display.page_text import page_text
    from bowerbird.harness.cli.shared.doc_pages import PROTO, all_pages, find_page, link_commands, search, section_text

    if word is not None:
        if page is not None:
            raise click.UsageError("--search looks through all pages: leave out PAGE")
        hits = search(word)
        if not hits and not as_json:
            raise InputError(f"no page has {word!r}")
        if as_json:
            print_json(hits)
        else:
            print_lines(list(_found(hits)))
        return
    if page is None:
        pages = all_pages()
        if as_json:
            print_json(pages)
        else:
            print_lines(list(_list(pages)))
        return
    found = find_page(page)
    wanted = " ".join(section)
    text = section_text(found, wanted) if wanted else found.text().rstrip()
    if as_json:
        print_json({"name": found.name, "path": found.path, "section": wanted, "text": text})
    else:
        shown = text if found.kind == PROTO else page_text(text, link_commands(found), output_width())
        click.echo_via_pager(f"{shown}\n")


def _found(hits: Sequence[Hit]) -> Iterator[str]:
    """Yield, for each section, the command that prints it and, on the next line, the line that contains the word."""
    width = output_width()
    for hit in hits[:MOST_HITS]:
        yield command_line(["docs", hit.page, hit.section])
        if hit.line:
            line = hit.line if width is None else textwrap.shorten(hit.line, width - 4, placeholder=" …")
            yield f"    {line}"
    if len(hits) > MOST_HITS:
        yield f"and {counted(len(hits) - MOST_HITS, 'section')} more; --json lists all"


def _list(pages: Sequence[Page]) -> Iterator[str]:
    """Yield each page's name and first sentence under the title of its kind, wrapped to the width of the output."""
    width = output_width()
    longest = max((len(page.name) for page in pages), default=0)
    kind = ""
    for page in pages:
        if page.kind != kind:
            kind = page.kind
            yield from ("", kind) if page is not pages[0] else (kind,)
        line = f"  {page.name:{longest}}  {page.summary}".rstrip()
        indent = " " * (longest + 4)
        yield from [line] if width is None else textwrap.wrap(line, width, subsequent_indent=indent)
    yield from ("", "bowerbird docs PAGE prints a page, bowerbird docs PAGE SECTION a part.")
