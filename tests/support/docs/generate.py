"""Regenerates all generated pages and parts of pages: `python -m tests.support.docs.generate`, or `make pages`."""

from __future__ import annotations

from tests.support.docs import (
    bundled_bots,
    champion,
    commands,
    environments,
    file_pages,
    pages,
    protocol_messages,
    table_columns,
    variant_pages,
)


def main() -> None:
    """Call every generator."""
    for generator in (
        pages,
        commands,
        environments,
        file_pages,
        bundled_bots,
        champion,
        protocol_messages,
        table_columns,
        variant_pages,
    ):
        generator.main()


if __name__ == "__main__":
    main()
