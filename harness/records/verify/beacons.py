"""Checks the beacon of a run if an optional part supports its source (prove-the-deals.md).

A part offers a module with the members of `BeaconSource` (`harness.extensions`, kind "beacon"), under the first word of
the sources that it supports.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from bowerbird.harness.extensions import offer, offered
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.text.run_text import beacon_source
from bowerbird.harness.records.values.query_results import RunRow

SIGNED, UNCHECKED = "signed", "unchecked"
"""The state of a beacon without differences: it is the one that was named, or it cannot be checked here."""


class BeaconSource(Protocol):
    """The members of a module for a source of beacons."""

    SIGNED_LINE: str
    UNCHECKED_LINE: str

    def in_words(self, source: str) -> str:
        """Return a source in words. Raises ValueError, with a sentence, if there is no such source."""

    def wrong_value(self, source: str, beacon: str) -> str:
        """Return why a beacon cannot come from its source; "" if it can. Raises ValueError as `in_words` does."""

    def is_checked(self) -> bool:
        """Return True if this installation checks everything that can be checked."""

    def differences(self, source: str, run: RunRow) -> Iterator[str]:
        """Yield a sentence for each error in the beacon of a run."""


def known_source(source: str) -> BeaconSource | None:
    """Return the module for a source, by its first word; None if no part supports it."""
    word = source.split(maxsplit=1)[:1]
    return offer("beacon", word[0]) if word and word[0] in offered("beacon") else None


def beacon_differences(run: RunRow) -> Iterator[str]:
    """Yield a sentence for each error in a run's beacon; nothing if no part supports its source.

    Raises ValueError if the run's config is not a resolved file.
    """
    source = beacon_source(run.config)
    known = known_source(source)
    if known is not None:
        yield from known.differences(source, run)


def source_in_words(config: str) -> str:
    """Return, in words, the source of the beacon of a run with this config; "" if the config does not state it."""
    try:
        source = beacon_source(config)
        known = known_source(source)
        return source if known is None else known.in_words(source)
    except ValueError:
        return ""  # `bowerbird verify` reports the error


def beacon_state(config: str, beacon: str | None) -> tuple[str, str]:
    """Return SIGNED or UNCHECKED, with the reason as a sentence for people, for a run without differences that has a
    beacon and names its source.

    Both are "" for any other run.

    Args:
        config: the config of the run.
        beacon: the beacon of the run.
    """
    source = beacon_source(config)
    if not beacon or not source:
        return "", ""
    known = known_source(source)
    if known is None:
        return UNCHECKED, f"its beacon is not checked: this installation cannot check the source {shown(source, 60)!r}"
    return (SIGNED, known.SIGNED_LINE) if known.is_checked() else (UNCHECKED, known.UNCHECKED_LINE)
