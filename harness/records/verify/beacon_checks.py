"""Checks the beacon of a run whose source is a round of drand (prove-the-deals.md)."""

from __future__ import annotations

from collections.abc import Iterator

from bowerbird.harness.records.drand.rounds import is_drand, read_round
from bowerbird.harness.records.drand.signature import INSTALL, is_installed, is_signed
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.text.run_text import beacon_source
from bowerbird.harness.records.values.query_results import RunRow

SIGNED, UNCHECKED = "signed", "unchecked"
"""What is known of the signature in a beacon that has no difference: it is right, or it cannot be checked here."""

STATE_LINES = {
    SIGNED: "its beacon is the round of drand that it named, with the right signature",
    UNCHECKED: f"its beacon is of the round of drand that it named; {INSTALL} adds what checks the signature",
}
"""The sentence for each state."""


def beacon_differences(run: RunRow) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong with the beacon of a run; nothing if its source is not drand.

    Checks that the round came after the commitment was stored, that the beacon is of this round, and its signature if
    the extra `beacon` is installed. Raises ValueError if the run's config is not a resolved file.
    """
    source = beacon_source(run.config)
    if not is_drand(source):
        return
    try:
        round_ = read_round(source)
    except ValueError as error:
        yield f"its beacon_source is {error}"
        return
    if not run.beacon:
        if run.games or run.beacon is None:
            yield f"its beacon, {round_.title}, is not entered"
        return
    try:
        is_later = round_.comes_after(run.started)
    except ValueError:  # in a database that a stranger made
        is_later = False
    if not is_later:
        yield f"{round_.title} came at {round_.at}, not after the commitment was stored at {shown(run.started, 40)}"
    signature = round_.signature_of(run.beacon)
    if signature is None:
        yield f"its beacon is not {round_.title}"
    elif is_installed() and not is_signed(round_, signature):
        yield f"its beacon is not {round_.title}: the signature is wrong"


def source_in_words(config: str) -> str:
    """Return for people where the beacon of a run with this config comes from; "" if the config does not say."""
    try:
        source = beacon_source(config)
        round_ = read_round(source) if is_drand(source) else None
    except ValueError:
        return ""  # `bowerbird verify` says what is wrong
    return source if round_ is None else f"{round_.title}, due at {round_.at}"


def beacon_state(config: str, beacon: str | None) -> str:
    """Return SIGNED or UNCHECKED for a run without differences that has a beacon of drand; "" for any other.

    config: of the run.
    """
    if not beacon or not is_drand(beacon_source(config)):
        return ""
    return SIGNED if is_installed() else UNCHECKED
