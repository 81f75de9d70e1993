"""Each starter through the rows of clients.md: where libraries differ, every starter does what the contract says.

The referee of these tests is a real gRPC server (`SeatReferee`); the last test plays a game with the referee itself.
"""

from __future__ import annotations

import resource
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from bowerbird.harness.extras.compliance.driver.mutators import (
    UNKNOWN_VALUE,
    add_unknown_fields,
    surround_with_unknown_messages,
)
from bowerbird.harness.extras.compliance.scenarios import Scenario
from bowerbird.harness.referee.connection.messages import LONGEST_SENTENCE, MAX_RESPONSE
from bowerbird.harness.referee.isolation.launch import prlimit_command
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.wire import encode
from bowerbird.seat.v1 import action_pb2, seat_pb2
from tests.support.bots.built_bots import programs_of, ready
from tests.support.paths import ROOT
from tests.support.referee.isolated import require
from tests.support.referee.seat_referee import BotProcess, SeatReferee, refereed
from tests.support.referee.seat_tables import open_table
from tests.support.referee.tables import bot, conditions, play, table

STARTERS = sorted(path.parent for path in (ROOT / "bots" / "starters").glob("*/bot.toml"))
SECRET = "the secret of the session"
KEEP_MS = 600_000
"""Seats are kept for longer than these tests wait."""

BEYOND_HEADERS = "x" * 20_000
"""A string that no library takes in a header: their limits range from 8 KiB to 16 KiB.

grpcio then loses messages, too, that came right before.
"""

CODES = (
    grpc.StatusCode.OUT_OF_RANGE,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
)
"""What libraries say about one and the same break."""

TABLES = 256
"""As many as each starter offers."""


@pytest.fixture(
    params=[
        pytest.param(folder, id=folder.name, marks=pytest.mark.toolchain(*programs_of(folder))) for folder in STARTERS
    ]
)
def starter(request: pytest.FixtureRequest, processes: None) -> BotSpec:
    """Build a starter as a run does; another test may have done so."""
    return ready(request.param)


@contextmanager
def greeted(starter: BotSpec, limits: Sequence[str] = ()) -> Iterator[tuple[SeatReferee, BotProcess]]:
    """Start a starter, and greet it with a session that can be resumed."""
    with refereed((*limits, *starter.command), starter.environment, cwd=starter.cwd) as (referee, process):
        referee.hear_a("hello")
        referee.say(welcome(awaits_ready=True))
        referee.hear_a("ready")
        yield referee, process


def welcome(*, awaits_ready: bool) -> seat_pb2.PlayResponse:
    return seat_pb2.PlayResponse(
        welcome=seat_pb2.Welcome(
            protocol_version=1, session_secret=SECRET, resume_ms=KEEP_MS, awaits_ready=awaits_ready
        )
    )


def requests(referee: SeatReferee, count: int) -> seat_pb2.PlayResponse:
    """Open this many tables of a variant with many actions; return a message that asks at each."""
    asked = seat_pb2.PlayResponse()
    for number in range(count):
        game = open_table(referee, f"table {number}", Scenario("seven-handed", 0, number=number))
        assert game.advance()
        asked.MergeFromString(encode.decision_requests([game.request()], deadline_ms=KEEP_MS))
    assert len(asked.decision_requests.requests) == count
    return asked


def chosen(referee: SeatReferee, asked: seat_pb2.PlayResponse) -> list[int]:
    """Return the indices of the answers to all requests, which may come in parts."""
    due = {request.table_id: len(request.legal_actions) for request in asked.decision_requests.requests}
    indices = []
    while due:
        for decision in referee.hear_a("decisions").decisions.decisions:
            assert decision.action_index < due.pop(decision.table_id)
            indices.append(decision.action_index)
    return indices


def test_it_comes_back_whatever_the_status_and_leaves_only_for_a_message(starter: BotSpec) -> None:
    """Status codes. Libraries disagree about them, and lose long texts; the Error on the stream decides."""
    busy = seat_pb2.Error(message="not now", fatal=True, retryable=True)
    over = seat_pb2.Error(message="that session is over", fatal=True)
    ends = [(code, text) for code in CODES for text in ("", BEYOND_HEADERS)]
    with greeted(starter) as (referee, process):
        for code, text in ends:
            referee.end(code, text)
            comes_back(referee)
            referee.say(welcome(awaits_ready=False))
        referee.refuse(busy, grpc.StatusCode.UNAUTHENTICATED, BEYOND_HEADERS)
        comes_back(referee)
        referee.refuse(over, grpc.StatusCode.UNAVAILABLE, "x" * LONGEST_SENTENCE)
        ended = process.ended()
    assert ended.code == 1
    assert "that session is over" in ended.stderr


def comes_back(referee: SeatReferee) -> None:
    assert referee.hear() is None
    assert referee.hear_a("hello").hello.session_secret == SECRET


def test_it_sets_no_deadline_and_plays_with_words_that_it_does_not_know(starter: BotSpec) -> None:
    """Deadlines; Enums. Lists keep their lengths, so that an index means the same action on both sides."""
    with greeted(starter) as (referee, process):
        assert referee.left_s > 10 * 365 * 86_400
        known = requests(referee, 40)
        referee.say(known)
        indices = chosen(referee, known)
        later = seat_pb2.PlayResponse.FromString(known.SerializeToString())
        for request in later.decision_requests.requests:
            for action in request.legal_actions:
                action.token = "a word of later"
                action.kind = UNKNOWN_VALUE  # type: ignore[assignment]  # an unknown value on purpose
                action.suit = UNKNOWN_VALUE  # type: ignore[assignment]  # as above
                action.how = UNKNOWN_VALUE  # type: ignore[assignment]  # as above
        [grown] = add_unknown_fields(later.SerializeToString())
        for message in surround_with_unknown_messages(grown):
            referee.say(message)
        assert chosen(referee, later) == indices, "the same draw from lists of the same length"
        assert len(set(indices)) > 2
        assert action_pb2.ActionKind.Name(known.decision_requests.requests[0].legal_actions[0].kind)
        referee.say(seat_pb2.PlayResponse(goodbye=seat_pb2.Goodbye(grace_ms=1000)))
        assert referee.hear() is None
        referee.end()
        assert process.ended().code == 0


def test_it_stays_below_its_memory_at_the_most_tables_and_ends_at_the_limit_of_processor_time(
    starter: BotSpec,
) -> None:
    """Limits. With 256 tables and the largest message; then the limit of processor time is set to one second.

    The soft limit is the hard one, as in every tier, so the kernel kills: Go and grpc++ would carry on after the signal
    of a soft limit.
    """
    with greeted(starter, prlimit_command()) as (referee, process):
        asked = requests(referee, TABLES)
        fill(asked)
        message = asked.SerializeToString()
        assert MAX_RESPONSE * 0.9 < len(message) <= MAX_RESPONSE
        referee.say(message)
        chosen(referee, asked)
        assert peak_mb(process.pid) < starter.memory_mb
        assert resource.prlimit(process.pid, resource.RLIMIT_AS) == (resource.RLIM_INFINITY,) * 2
        assert len(set(resource.prlimit(process.pid, resource.RLIMIT_CPU))) == 1, "no soft limit that a runtime ignores"
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (1, 1))
        referee.say(message)
        while referee.hear() is not None:
            referee.say(message)
        assert process.ended().code == -signal.SIGKILL


@pytest.mark.toolchain("java")
@pytest.mark.usefixtures("processes")
def test_the_heap_of_java_leaves_half_of_its_memory_free() -> None:
    """Limits. In a sandbox a JVM sees the memory of the machine, of which it would plan for a quarter."""
    spec = load_bot(ROOT / "bots" / "starters" / "java")
    flags = spec.command[: spec.command.index("-jar")]
    done = subprocess.run([*flags, "-XX:+PrintFlagsFinal", "-version"], capture_output=True, text=True, check=True)
    [heap] = [line.split()[3] for line in done.stdout.splitlines() if " MaxHeapSize " in line]
    assert int(heap) <= spec.memory_mb * 1024 * 1024 // 2


def fill(asked: seat_pb2.PlayResponse) -> None:
    """Make the message as large as the referee sends one, with text that only people read."""
    requests = asked.decision_requests.requests
    room = (MAX_RESPONSE - asked.ByteSize()) // len(requests) - 16
    for request in requests:
        request.legal_actions[0].token += "." * room


def peak_mb(pid: int) -> float:
    """Return the most memory that a process has had, in MiB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@pytest.mark.toolchain("go", "cargo", "mvn", "java", "node", "npm", "cmake", "g++", "protoc", "grpc_cpp_plugin")
@pytest.mark.usefixtures("processes")
def test_all_play_in_a_sandbox_within_what_their_files_ask_for(tmp_path: Path) -> None:
    """Limits. Each in a control group of its own `memory_mb` where one can be made."""
    require("sandbox")
    bots = [ready(folder) for folder in STARTERS]
    seats = table([*(spec.name for spec in bots), "good"], variant="seven-handed", max_hands=1)
    [record], _ = play([seats], [*bots, bot("good")], tmp_path, made=conditions(isolation="sandbox"))
    assert record.faults == ()
    assert record.conditions.isolation == "sandbox"
