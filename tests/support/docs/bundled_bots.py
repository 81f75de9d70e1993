"""The generated part of bundled-bots.md: the table of results/ladder, which `make bench ARGS=ladder` plays and writes.

`python -m tests.support.docs.bundled_bots` regenerates it (`parts`).
"""

from __future__ import annotations

from tests.support.docs.parts import write_parts
from tests.support.paths import DOCS, ROOT

PAGE = DOCS / "reference" / "bundled-bots.md"
LADDER = ROOT / "results" / "ladder" / "README.md"


def ladder() -> str:
    """Return the table of the ladder: points a deal above greedy, a row for each variant. The numbers of deals are left
    out."""
    lines = [line for line in LADDER.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    kept = [place for place, name in enumerate(rows[0]) if name != "deals"]
    return "\n".join(f"| {' | '.join(row[place] for place in kept)} |" for row in rows)


def main() -> None:
    """Regenerate the table."""
    write_parts({PAGE: {"ladder": ladder}})


if __name__ == "__main__":
    main()
