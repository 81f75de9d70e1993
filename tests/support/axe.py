"""axe-core on a page in the browser: what on it shuts out people who see badly or do not use a mouse.

For every page that we make: `assert barriers(page) == []`. It needs the programs `chromium` and `npm`.
"""

from __future__ import annotations

import json
import subprocess
from functools import cache
from typing import Any

from tests.support.chromium import Page
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

INSTALL = ROOT / ".ci" / "axe"
PROGRAM = ROOT / "tests" / "browser" / "node_modules" / "axe-core" / "axe.min.js"

GRAVE = ("critical", "serious")
"""The impacts that a test refuses."""

MOST_PLACES = 5
"""The number of places of a fault that are named; the rest are counted."""


@cache
def _program() -> str:
    """Return the text of axe-core. Install it first if necessary."""
    subprocess.run([INSTALL], check=True, timeout=DEADLINE_S)
    return PROGRAM.read_text(encoding="utf-8")


def barriers(page: Page, *, impacts: tuple[str, ...] = GRAVE) -> list[str]:
    """Return a sentence for each fault that axe-core finds on the page as it looks now, the most serious first.

    Args:
        page: an open page, of any size and colour scheme.
        impacts: the faults to return; axe-core knows critical, serious, moderate and minor.
    """
    if not page.ask("'axe' in window"):
        page.ask(f"{_program()}; 0")
    found = page.ask("axe.run({resultTypes: ['violations']}).then(all => JSON.stringify(all.violations))")
    faults = [one for one in json.loads(found) if one["impact"] in impacts]
    return [_sentence(one) for one in sorted(faults, key=lambda one: impacts.index(one["impact"]))]


def _sentence(fault: dict[str, Any]) -> str:
    places = [
        f"{' '.join(map(str, node['target']))}: {' '.join(node['failureSummary'].split())}" for node in fault["nodes"]
    ]
    more = [f"and {len(places) - MOST_PLACES} more"] if len(places) > MOST_PLACES else []
    return "\n  ".join(
        [f"{fault['impact']}, {fault['id']}: {fault['help']}", *dict.fromkeys(places[:MOST_PLACES]), *more]
    )
