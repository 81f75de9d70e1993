"""The generated part of bundled-bots.md: the table of results/ladder, which `make ladder` plays and writes.

`python -m tests.support.docs.bundled_bots` writes it anew (`parts`).
"""

from __future__ import annotations

from tests.support.docs.parts import write_parts
from tests.support.paths import DOCS, ROOT

PAGE = DOCS / "reference" / "bundled-bots.md"
LADDER = ROOT / "results" / "ladder" / "README.md"


def ladder() -> str:
    """Return the table of the ladder: points a deal above greedy, a row for each variant."""
    return "\n".join(line for line in LADDER.read_text(encoding="utf-8").splitlines() if line.startswith("|"))


def main() -> None:
    """Write the table anew."""
    write_parts({PAGE: {"ladder": ladder}})


if __name__ == "__main__":
    main()
