"""Floods of a bot's own address: connections, frames and calls (faults.md rows 32, 33 and 46, local bots).

The offender runs in a sandbox, as a stranger's bot does: nobody else can then reach its address, so it is blamed.
"""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bowerbird.harness.http2.server import HEADERS_TOO_LARGE
from bowerbird.harness.records.values.game_record import SANDBOX, GameRecord, TimeControl
from bowerbird.harness.referee.connection import seat_door
from bowerbird.harness.referee.connection.link import FLOOD_OF_FRAMES
from bowerbird.harness.referee.connection.messages import MAX_HELLO
from bowerbird.harness.referee.connection.seat_door import CONNECTIONS, FLOOD_OF_CALLS
from bowerbird.harness.referee.spec import BotSpec
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.isolated import require
from tests.support.referee.offence import long
from tests.support.referee.tables import PATIENT, bot, conditions, play, running, table

GROWTH_MB = 160
"""The most MiB by which a flooding bot may make the referee grow: three messages in the worst possible pieces take
130."""

DESCRIPTORS = 200
"""The most descriptors that the referee may have open while it plays these tables."""

LOOK_S = 0.02


class Use:
    """The most memory (MiB) and descriptors that this process, in which the referee runs, was seen to have."""

    def __init__(self) -> None:
        self._begin_mb = memory_mb()
        self.grown_mb = 0
        self.descriptors = 0

    def look(self) -> None:
        self.grown_mb = max(self.grown_mb, memory_mb() - self._begin_mb)
        self.descriptors = max(self.descriptors, len(os.listdir("/proc/self/fd")))


def memory_mb() -> int:
    """Return the resident memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() >> 20


@contextmanager
def measured() -> Iterator[Use]:
    """Measure the use of this process while the body runs."""
    use, over = Use(), threading.Event()

    def watch() -> None:
        while not over.wait(LOOK_S):
            use.look()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield use
    finally:
        over.set()
        watcher.join()


LONG = TimeControl(per_decision_ms=600_000, bank_ms=0, startup_ms=60_000)
"""For a bot that needs its decision to make a thousand calls: it must be a flood before it is late."""


def play_beside(bad: BotSpec, folder: Path, time: TimeControl = PATIENT) -> tuple[GameRecord, Use]:
    """Play a table with the offender and two without it. The others must be untouched, and the referee must stay
    small."""
    require(SANDBOX)
    specs = [table(("a", "bad", "a", "bad")), *(table(("a", "c", "a", "c"), number) for number in (1, 2))]
    made = conditions(isolation=SANDBOX, time=time)
    with measured() as use:
        (record, *others), _ = play(specs, [bot("a", "last"), bot("c", "last"), bad], folder, made=made)
    assert [other.faults for other in others] == [()] * len(others), "another table was harmed"
    assert not running(folder), "processes are left"
    assert use.grown_mb < GROWTH_MB, f"the referee grew by {use.grown_mb} MiB"
    assert use.descriptors < DESCRIPTORS, f"the referee had {use.descriptors} descriptors open"
    return record, use


@pytest.mark.row(32)
def test_a_bot_gets_few_connections_to_its_address_and_the_run_does_not_notice(tmp_path: Path, seen: Seen) -> None:
    record, use = play_beside(bot("bad", "hoards-connections", "1"), tmp_path)
    assert record.faults == ()
    said = "".join(path.read_text() for path in tmp_path.glob("bad-*.log"))
    assert f"served {CONNECTIONS - 1} of 600" in said, said
    seen(f"{CONNECTIONS} connections served, no fault; {use.descriptors} descriptors, +{use.grown_mb} MiB")


@pytest.mark.row(32)
def test_the_referee_raises_its_limit_of_open_files_and_no_bot_inherits_it(tmp_path: Path, seen: Seen) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lower = soft - 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (lower, hard))
    try:
        [record], _ = play([table(("a",) * 4)], [bot("a", "tells-open-files", "1")], tmp_path)
        after = resource.getrlimit(resource.RLIMIT_NOFILE)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    said = "".join(path.read_text() for path in tmp_path.glob("a-*.log"))
    assert record.faults == ()
    assert set(said.split("\n")) - {""} == {f"open files: {lower}"}
    assert after == (lower, hard), "the limit is given back at the end"
    seen(f"bots of tier none have {lower}, as before; the referee {hard}")


@pytest.mark.row(33)
@pytest.mark.parametrize(
    "mode",
    [
        "floods-headers",
        long("floods-indexed-headers"),
        long("floods-settings"),
    ],
)
def test_frames_that_belong_to_no_message_are_a_flood(tmp_path: Path, seen: Seen, mode: str) -> None:
    record, use = play_beside(bot("bad", mode, "1"), tmp_path)
    assert {fault.kind for fault in record.faults} == {"PROTOCOL"}
    assert {fault.detail for fault in record.faults} <= {FLOOD_OF_FRAMES, HEADERS_TOO_LARGE}
    seen(f"{mode}: PROTOCOL, {record.faults[0].detail}, +{use.grown_mb} MiB, {use.descriptors} descriptors")


@pytest.mark.row(33)
def test_a_message_in_pieces_takes_no_more_than_its_stream_may(tmp_path: Path, seen: Seen) -> None:
    """The stream is refused when its first message is complete. The flood may be over before it is noticed."""
    record, use = play_beside(bot("bad", "floods-pieces", "1"), tmp_path)
    assert {fault.kind for fault in record.faults} <= {"PROTOCOL"}
    seen(f"floods-pieces: {record.faults[0].kind if record.faults else 'no fault'}, +{use.grown_mb} MiB")


@pytest.mark.row(46)
@pytest.mark.parametrize("mode", ["floods-calls", long("floods-tokens"), long("floods-resets")])
def test_calls_that_come_too_fast_are_refused_and_then_a_flood(
    tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setattr(seat_door, "CALLS_PER_S", 0.01)  # however slow the machine is, they come too fast
    record, use = play_beside(bot("bad", mode, "1"), tmp_path, LONG)
    assert {fault.kind for fault in record.faults} == {"PROTOCOL"}
    assert {fault.detail for fault in record.faults} <= {FLOOD_OF_CALLS, FLOOD_OF_FRAMES}
    seen(f"{mode}: PROTOCOL, {record.faults[0].detail}; +{use.grown_mb} MiB")


@pytest.mark.row(46)
@pytest.mark.parametrize(
    ("mode", "detail"),
    [
        ("says-20000-versions", f"bytes; at most {MAX_HELLO} are allowed"),
        ("says-16-mebibytes", "before its Hello"),
    ],
)
def test_what_comes_before_the_token_is_bounded_and_said_in_one_sentence(
    tmp_path: Path, seen: Seen, mode: str, detail: str
) -> None:
    record, use = play_beside(bot("bad", mode), tmp_path)
    assert {fault.kind for fault in record.faults} == {"NEVER_STARTED"}
    assert all(len(fault.detail) < 400 for fault in record.faults), record.faults
    assert all(detail in fault.detail for fault in record.faults), record.faults
    seen(f"{mode}: NEVER_STARTED, +{use.grown_mb} MiB")
