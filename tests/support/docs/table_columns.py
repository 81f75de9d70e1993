"""The generated parts of tables.md: the columns of each exported table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from bowerbird.harness.extras.tables.columns import TABLES
from tests.support.docs.parts import write_parts
from tests.support.paths import DOCS

PAGE = DOCS / "reference" / "tables.md"


def columns_text(table: str) -> str:
    """Return the table of the columns of an exported table."""
    rows = (f"| `{one.name}` | {one.type} | {one.unit} | {one.meaning} |" for one in TABLES[table])
    return "\n".join(["| column | type | unit | says |", "|---|---|---|---|", *rows])


PARTS: Mapping[str, Callable[[], str]] = {table: partial(columns_text, table) for table in TABLES}


def main() -> None:
    """Regenerate the parts."""
    write_parts({PAGE: PARTS})


if __name__ == "__main__":
    main()
