"""The words of the standings, explained (`bowerbird standings --explain`)."""

from __future__ import annotations

from bowerbird.harness.cli.shared.output import Column, output_width, print_json, print_lines, table
from bowerbird.harness.ratings.standings.words import WORDS

PIPED_WIDTH = 80
"""Prose is wrapped in a pipe as well, since nobody cuts columns out of it."""


def print_explanations(*, as_json: bool) -> None:
    """Print what each word of the standings means."""
    if as_json:
        print_json(WORDS)
        return
    columns = [Column("word"), Column("meaning", wrap=True)]
    print_lines(table(columns, list(WORDS.items()), output_width() or PIPED_WIDTH))
