"""The generated parts of docs/reference/commands.md: a section for each command, made from its help.

`python -m tests.support.docs.commands` regenerates them. A section begins with the heading `## bowerbird NAME`. Its
generated part (`parts`) follows; text after that is written by hand and stays.
A new command gets a section in its place; the section of a command that is gone is left out.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

import click

from bowerbird.harness.cli.main import cli
from tests.support.docs.parts import with_part
from tests.support.docs.wrap import WIDTH, wrapped
from tests.support.paths import DOCS

PAGE = DOCS / "reference" / "commands.md"
PROGRAM = "bowerbird"
IN_ALL = ("--debug", "--help")
"""Options of every command, which the page explains once."""

HEADING = re.compile(r"^## bowerbird ((?:[a-z-]+ ?)+)$", re.MULTILINE)


def commands() -> dict[str, click.Command]:
    """Return every command and every command of a group, by the words after the program's name, in help order."""
    return dict(_commands_of(cli, click.Context(cli, info_name=PROGRAM)))


def _commands_of(group: click.Group, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, f"{name} is listed"
        yield name, command
        if isinstance(command, click.Group):
            for words, below in _commands_of(command, click.Context(command, context, name)):
                yield f"{name} {words}", below


def part_of(name: str, command: click.Command) -> str:
    """Return the generated part of a command's section: usage, help, options and examples."""
    context = click.Context(command, info_name=f"{PROGRAM} {name}", max_content_width=WIDTH)
    usage = textwrap.wrap(
        f"{context.command_path} {' '.join(command.collect_usage_pieces(context))}", WIDTH, subsequent_indent="    "
    )
    blocks = ["\n".join(["```text", *usage, "```"]), *_paragraphs(command.help or "")]
    if options := _options(command, context):
        blocks.append("\n".join(["| option | meaning |", "|---|---|", *options]))
    if examples := _examples(command.epilog or ""):
        blocks.append("\n".join(["Examples:", "", "```sh", *examples, "```"]))
    return "\n\n".join(blocks)


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text, those with lines of their own as plain text."""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph.startswith("\b"):
            yield "\n".join(["```text", *paragraph.splitlines()[1:], "```"])
        else:
            yield wrapped(_marked(" ".join(paragraph.split()))).rstrip()


def _options(command: click.Command, context: click.Context) -> list[str]:
    """Return a row for each option, without the options that all commands have. The help explains arguments."""
    rows = []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
        if record is not None and not set(IN_ALL) & set(parameter.opts):
            names, meaning = (" ".join(text.split()).replace("|", "\\|") for text in record)
            rows.append(f"| `{names}` | {_marked(meaning)} |")
    return rows


def _marked(text: str) -> str:
    """Return a help text with options and quoted command lines marked as code."""
    text = re.sub(rf"'({PROGRAM} [^']+)'", r"`\1`", text)
    return re.sub(r"(?<![`\w-])--[a-z][a-z0-9-]*(?![`\w])", r"`\g<0>`", text)


def _examples(epilog: str) -> list[str]:
    """Return the command lines of an epilog, with the lines that continue them and the comments between them."""
    lines = [line.removeprefix("\b").strip() for line in epilog.splitlines()]
    return [line for line in lines if line and line.rstrip(":") != "Examples"]


def section_names(page: str) -> list[str]:
    """Return the commands that have a section, in the order of the page."""
    return HEADING.findall(page)


def rendered(page: str) -> str:
    """Return the page with every section regenerated, in the order of the commands."""
    first, last = _place_of_sections(page)
    heads = [found.start() for found in HEADING.finditer(page)] + [last]
    written = {
        name: page[start:end] for name, start, end in zip(section_names(page), heads[:-1], heads[1:], strict=True)
    }
    sections = []
    for name, command in commands().items():
        text = with_part(written.get(name, empty_section(name)), name, f"\n{part_of(name, command)}\n")
        sections.append(f"{text.rstrip()}\n\n")
    return f"{page[:first]}{''.join(sections)}{page[last:]}".rstrip() + "\n"


def empty_section(name: str) -> str:
    """Return the section of a command before its part is generated."""
    return f"## {PROGRAM} {name}\n\n<!-- begin {name} -->\n\n\n\n<!-- end {name} -->\n"


def _place_of_sections(page: str) -> tuple[int, int]:
    """Return where the sections of the commands begin, and where they end: at the next other heading of their level."""
    headings = [
        (found.start(), HEADING.match(page, found.start())) for found in re.finditer(r"^## ", page, re.MULTILINE)
    ]
    ours = [place for place, match in headings if match is not None]
    first = ours[0] if ours else len(page)
    return first, next((place for place, match in headings if match is None and place > first), len(page))


def main() -> None:
    """Regenerate all generated parts."""
    PAGE.write_text(rendered(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
