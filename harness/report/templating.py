"""Renders the templates of pages, with all values escaped, under a Content-Security-Policy (pages.md)."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bowerbird.harness.records.quoting import shown, utf8
from bowerbird.harness.report import drawings


@dataclass(frozen=True, slots=True)
class CrossCell:
    """A cell of the crosstable: the share won, and won-drawn-lost as text."""

    share: float
    text: str


def renamed(rows: Iterable[Mapping[str, Any]], key: str) -> list[dict[str, Any]]:
    """Return the rows of a table, with the cells from `key` of the data."""
    return [{"bot": row["bot"], "cells": row[key]} for row in rows]


def by_pair(cross: Iterable[Sequence[int]]) -> dict[tuple[int, int], CrossCell]:
    """Return the cells of a crosstable, by pair of bots."""
    return {
        (one, other): CrossCell((won + drawn / 2) / (won + drawn + lost), f"{won}-{drawn}-{lost}")
        for one, other, won, drawn, lost in cross
    }


def curves(data: Mapping[str, Any], bots: Sequence[int] | None = None) -> drawings.Curves | None:
    """Return the drawing of the rating curves of the bots that have played; None if there are no curves.

    bots: the numbers of the bots to draw; None for all.
    """
    if not data["scopes"]:
        return None
    played = sorted(row["bot"] for row in data["scopes"][0]["rows"] if bots is None or row["bot"] in bots)
    return drawings.curve_drawing(data["curves"]["sets"], data["curves"]["lines"], played)


def variants(scopes: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the main scope of each variant."""
    return [scope for scope in scopes if scope["variant"] and not scope["apart"]]


def numbers(items: Sequence[object]) -> range:
    """Return the index of each item."""
    return range(len(items))


def first_spans(rows: Iterable[Mapping[str, Any]]) -> list[Any]:
    """Return, for each row of the pooled table, the estimate of the mean with equal weights."""
    return [row["spans"][0] for row in rows]


def fault_sum(text: str) -> int:
    """Return the number of faults in a cell: 3 for "2 TIMEOUT, 1 ILLEGAL"."""
    return sum(map(int, re.findall(r"\d+", text)))


FILTERS: dict[str, Callable[..., Any]] = {
    "renamed": renamed,
    "by_pair": by_pair,
    "curves": curves,
    "variants": variants,
    "numbers": numbers,
    "first_spans": first_spans,
    "fault_sum": fault_sum,
    "heat": drawings.heat,
    "percent": drawings.percent,
    "brief": drawings.brief,
    "sort_key": drawings.sort_key,
    "range_marks": drawings.range_marks,
    "bar_percent": drawings.bar_percent,
}


_FOLDER = "templates"

OURS = ("bowerbird.harness.report",)
"""The package of the templates that every page uses."""

_STYLE = Markup("<style>{}</style>")
_SCRIPT = Markup("<script>{}</script>")
_POLICY = Markup('<meta http-equiv="Content-Security-Policy" content="{}">')

RAW = "record"
"""The key of the only text in a page's data that stays unchanged: a game's record, for download."""


@cache
def _environment(packages: tuple[str, ...]) -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package, _FOLDER) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    environment.filters["script_json"] = script_json
    environment.filters.update(FILTERS)
    return environment


def _finalized(value: object) -> object:
    """Return the value of a template expression, with text as `shown` shows it, unless it is our own markup."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@dataclass(frozen=True, slots=True)
class Page:
    """The text of a page, and its Content-Security-Policy, which is also in the text."""

    text: str
    policy: str


def render(  # noqa: PLR0917 (the parts of a page)
    template: str,
    values: Mapping[str, object],
    styles: Sequence[str],
    scripts: Sequence[str] = (),
    packages: tuple[str, ...] = OURS,
    connect: bool = False,
) -> Page:
    """Render a template with escaped `values`, and insert the style sheets and scripts with these file names.

    packages: the packages with templates, style sheets and scripts.
    connect: True if the page's scripts may fetch from the page's server.

    The page's policy (`policy_of`) allows only these style sheets and scripts. Raises jinja2.UndefinedError if a value
    that the template needs is missing.
    """
    style, script = (Markup("").join(source(name, packages) for name in names) for names in (styles, scripts))
    policy = policy_of(str(style), str(script), connect=connect)
    found = _environment(packages).get_template(template)
    drawn = found.render(
        policy=_POLICY.format(policy), style=_STYLE.format(style), script=_SCRIPT.format(script), **values
    )
    return Page(drawn, policy)


def render_page(template: str, *, styles: Sequence[str], scripts: Sequence[str] = (), **values: object) -> str:
    """Return the text of a page that needs no server (see `render`)."""
    return render(template, values, styles, scripts).text


def policy_of(style: str, script: str, *, connect: bool = False) -> str:
    """Return the Content-Security-Policy of a page with this style sheet and this script, both inside the page.

    It allows only these two, by their hashes: no other script, style attribute, event handler, image, frame, form or
    connection.
    connect: allow connections to the page's server.
    """
    return "; ".join(
        (
            "default-src 'none'",
            *(["connect-src 'self'"] if connect else []),
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(utf8(text)).digest()).decode()}"


@cache
def source(name: str, packages: tuple[str, ...] = OURS) -> Markup:
    """Return one of our style sheets or scripts, to insert into a page unescaped."""
    found = (files(package).joinpath(_FOLDER, name) for package in packages)
    return Markup(next(one for one in found if one.is_file()).read_text(encoding="utf-8"))


def script_json(value: object) -> Markup:
    """Return JSON that is safe inside <script>: nothing in it can end the element or begin a comment.

    Each string is as `shown` shows it, except under the key `RAW`.
    """
    text = json.dumps(shown_in(value), ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\x7f\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def shown_in(value: object) -> object:
    """Return a value with each string in it as `shown` shows it, except the one under the key `RAW`."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, Mapping):
        return {key: item if key == RAW else shown_in(item) for key, item in value.items()}
    return [shown_in(item) for item in value] if isinstance(value, (list, tuple)) else value
