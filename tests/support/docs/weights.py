"""What a page of the site costs a reader: bytes and requests from disk, time to the first text, nodes, layout.

`python -m tests.support.docs.weights docs/_build/html` prints a table for a page of each kind. Times are measured on
this machine, as the median of several fresh pages.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from urllib.parse import unquote, urlsplit

from tests.support.chromium import Browser, Page, chromium

PAGES = (
    "index.html",
    "tutorials/first-tournament.html",
    "reference/commands.html",
    "reference/json.html",
    "reference/variants/buck.html",
    "search.html",
)
ROUNDS = 5
PAINT = (
    "new Promise(done => new PerformanceObserver(all => { for (const one of all.getEntries())"
    " if (one.name === 'first-contentful-paint') done(one.startTime) }).observe({type: 'paint', buffered: true}))"
)


def bytes_of(requests: list[str]) -> int:
    """Return the size of the files that a page loads."""
    files = {Path(unquote(urlsplit(one).path)) for one in requests if one.startswith("file:")}
    return sum(file.stat().st_size for file in files)


def measured(browser: Browser, file: Path) -> tuple[Page, float]:
    """Open a page of its own; return it with the milliseconds from the start of loading to its first text."""
    page = browser.page(1280, 900)
    page.open(file)
    return page, float(page.ask(PAINT))


def main(arguments: list[str]) -> None:
    """Print the table."""
    site = Path(arguments[0]).resolve()
    print(f"{'page':34} {'requests':>8} {'KiB':>6} {'page KiB':>8} {'first text ms':>13} {'nodes':>6}")
    with chromium() as browser:
        for name in PAGES:
            found = [measured(browser, site / name) for _ in range(ROUNDS)]
            page, _ = found[0]
            files = [one for one in page.requests if one.startswith("file:")]
            nodes = page.ask("document.querySelectorAll('*').length")
            size = (site / name).stat().st_size / 1024
            paint = median(time for _, time in found)
            print(f"{name:34} {len(files):8} {bytes_of(files) / 1024:6.0f} {size:8.0f} {paint:13.0f} {nodes:6}")


if __name__ == "__main__":
    main(sys.argv[1:])
