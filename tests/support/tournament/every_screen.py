"""Every screen, page and file that shows the results of a run."""

from __future__ import annotations

import json
from pathlib import Path

from bowerbird.harness.cli.display.head_to_head import head_to_head_document, head_to_head_lines
from bowerbird.harness.cli.display.leaderboard_file import csv_lines, markdown_lines
from bowerbird.harness.cli.display.standings import standings_text
from bowerbird.harness.cli.display.standings_document import standings_document
from bowerbird.harness.cli.shared.output import json_text
from bowerbird.harness.ratings.standings.head_to_head import HeadToHeads
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.report.report_page import write_report
from bowerbird.harness.tournament.record_ratings import store_record_ratings


def every_screen(run: StoredRun, page: Path) -> list[str]:
    """Return the lines of the first screen, after all others were made; `page` is where the report is written.

    Raises whatever one of them raises, and ValueError for a JSON document that is not one.
    """
    store_record_ratings(run)
    found = overview([run])
    screens = [
        standings_text(run.store, [run], full=True, width=80),
        standings_text(run.store, [run], full=True, only_pooled=True),
        *(standings_text(run.store, [run], variant, full=True) for variant in run.variants()),
        list(csv_lines(found)),
        list(markdown_lines(found)),
    ]
    json.loads(json_text(standings_document([run])), parse_constant=_refuse)
    bots = [bot.name for bot in run.bots()]
    heads = HeadToHeads(found)
    for other in bots[1:]:
        compared = heads.between(bots[0], other)
        screens.append(head_to_head_lines(compared, 80))
        json.loads(json_text(head_to_head_document([run], compared)), parse_constant=_refuse)
    write_report(run, page, replays=0)
    assert all(isinstance(line, str) for screen in screens for line in screen)
    return standings_text(run.store, [run], width=80)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")
