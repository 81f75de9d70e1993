"""A round of drand as a source of beacons for the core (`records.verify.beacons.BeaconSource`; prove-the-deals.md)."""

from __future__ import annotations

from collections.abc import Iterator

from bowerbird.harness.extras.drand.rounds import read_round
from bowerbird.harness.extras.drand.signature import INSTALL, is_installed, is_signed
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.query_results import RunRow

SIGNED_LINE = "its beacon is the round of drand that it named, with the right signature"
UNCHECKED_LINE = f"its beacon is of the round of drand that it named; to check the signature: {INSTALL}"


def in_words(source: str) -> str:
    """Return a source in words for people. Raises ValueError with a sentence if it does not name a round."""
    round_ = read_round(source)
    return f"{round_.title}, due at {round_.at}"


def wrong_value(source: str, beacon: str) -> str:
    """Return why a beacon cannot come from its source, or "" if it can. Raises the ValueError of `in_words`."""
    round_ = read_round(source)
    if round_.signature_of(beacon) is not None:
        return ""
    return f"must be {round_.title}: '{round_.number}' and its signature in 96 hexadecimal digits"


def is_checked() -> bool:
    """Return whether the signature of a round can be checked here."""
    return is_installed()


def differences(source: str, run: RunRow) -> Iterator[str]:
    """Yield a sentence for each error in the beacon of a run.

    Checks that the round came after the commitment was stored, that the beacon is of this round, and, with the extra
    `beacon`, its signature.
    """
    try:
        round_ = read_round(source)
    except ValueError as error:
        yield f"its beacon_source {error}"
        return
    if not run.beacon:
        if run.games or run.beacon is None:
            yield f"its beacon, {round_.title}, is not entered"
        return
    try:
        is_later = round_.comes_after(run.started)
    except ValueError:  # in a database made by a stranger
        is_later = False
    if not is_later:
        yield f"{round_.title} came at {round_.at}, not after the commitment was stored at {shown(run.started, 40)}"
    signature = round_.signature_of(run.beacon)
    if signature is None:
        yield f"its beacon is not {round_.title}"
    elif is_installed() and not is_signed(round_, signature):
        yield f"its beacon is not {round_.title}: the signature is wrong"
