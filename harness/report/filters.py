"""The filters of the templates: values of `report_data` in the shape that a template draws."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bowerbird.harness.report import drawings


@dataclass(frozen=True, slots=True)
class CrossCell:
    """A cell of the crosstable: the share won, and won-drawn-lost as text."""

    share: float
    text: str


def renamed(rows: Iterable[Mapping[str, Any]], key: str) -> list[dict[str, Any]]:
    """Return the rows of a table, with the cells that the data hold under `key`."""
    return [{"bot": row["bot"], "cells": row[key]} for row in rows]


def by_pair(cross: Iterable[Sequence[int]]) -> dict[tuple[int, int], CrossCell]:
    """Return the cells of a crosstable by both bots."""
    return {
        (one, other): CrossCell((won + drawn / 2) / (won + drawn + lost), f"{won}-{drawn}-{lost}")
        for one, other, won, drawn, lost in cross
    }


def curves(data: Mapping[str, Any], bots: Sequence[int] | None = None) -> drawings.Curves | None:
    """Return the drawing of the rating curves of the bots that have played; None if there is none.

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
    """Return the places of all items, from 0."""
    return range(len(items))


def first_spans(rows: Iterable[Mapping[str, Any]]) -> list[Any]:
    """Return the estimate of the mean with equal weights of each row of the pooled table."""
    return [row["spans"][0] for row in rows]


def fault_sum(text: str) -> int:
    """Return how many faults a cell names: 3 for "2 TIMEOUT, 1 ILLEGAL"."""
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
