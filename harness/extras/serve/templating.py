"""Renders the contents of pages with the templates of this package and of the report."""

from __future__ import annotations

import json
from typing import Any

from bowerbird.harness.extras.serve.addresses import Addresses
from bowerbird.harness.extras.serve.pages.run_pages import Content, left_text
from bowerbird.harness.report.replay_page import TABLE_SCRIPTS, TABLE_STYLES
from bowerbird.harness.report.templating import OURS, Page, render, shown_in

PACKAGES = (*OURS, "bowerbird.harness.extras.serve")

_TABLES = ("page.css", "report.css", "site.css")
_MOVING = ("page.js", "report.js", "moving.js")

_STYLES: dict[str, tuple[str, ...]] = {
    "replay.html": (*TABLE_STYLES, "replay.css"),
    "table.html": (*TABLE_STYLES, "site.css", "live.css"),
}
_SCRIPTS: dict[str, tuple[str, ...]] = {
    "replay.html": (*TABLE_SCRIPTS, "replay.js"),
    "table.html": (*TABLE_SCRIPTS, "live_table.js"),
}


def draw(content: Content, addresses: Addresses) -> Page:
    """Return a page as HTML."""
    values: dict[str, Any] = {
        "data": content.data,
        "title": content.title,
        "addresses": addresses,
        "moves": content.moves,
        "left_text": left_text,
        **content.values,
    }
    if content.template == "replay.html":
        values["data"] = content.values["replay"]
    elif "report" in content.values:
        values["page"], values["data"] = content.data, content.values["report"]
    styles = _STYLES.get(content.template, _TABLES)
    scripts = _SCRIPTS.get(content.template, _MOVING)
    return render(content.template, values, styles, scripts, PACKAGES, connect=True)


def shown_json(value: object) -> str:
    """Return a value as one line of JSON, with every text made safe by `shown`."""
    return json.dumps(shown_in(value), ensure_ascii=False, separators=(",", ":"))
