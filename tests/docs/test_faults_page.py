"""The page on faults is right: its rows have tests, and its kinds and figures match the code."""

from __future__ import annotations

import ast
import re

from bowerbird.harness.http2 import server
from bowerbird.harness.records.values.faults import FAULT_KINDS, STDERR_LENGTH
from bowerbird.harness.referee.connection import link, messages, processor_shares, seat_door, stream
from bowerbird.harness.referee.host import bot_clock
from bowerbird.harness.referee.isolation import launch, sandbox, staging
from bowerbird.harness.referee.process import output, supervisor
from bowerbird.harness.referee.remote import acceptor, admission, remote_server
from bowerbird.harness.referee.spec import FaultLimits
from tests.support.paths import ROOT
from tests.support.referee.fault_matrix import PAGE, Outcome, matrix_numbers, matrix_rows, unproven, untried

TEXT = PAGE.read_text(encoding="utf-8")
WORDS = " ".join(TEXT.split())
"""The page without its line breaks."""


def rows_of_tests() -> set[int]:
    """Return the numbers in the `row` markers of tests/faults."""
    return {
        argument.value
        for file in (ROOT / "tests" / "faults").glob("test_*.py")
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.row"
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, int)
    }


RESERVED = {42, 47, 49}
"""Numbers kept free for attacks on archives and on results."""


def test_rows_of_the_matrix_are_numbered_in_order() -> None:
    assert [row.number for row in matrix_rows()] == [number for number in range(1, 69) if number not in RESERVED]


def test_every_row_of_the_matrix_has_a_test_and_every_test_a_row() -> None:
    assert rows_of_tests() == {row.number for row in matrix_rows()}


def test_a_row_fails_by_a_test_that_failed_or_by_none_and_who_can_try_all_skips_none() -> None:
    outcomes = [Outcome(row, "test", "passed", ()) for row in matrix_numbers() - {2}]
    outcomes += [Outcome(3, "test", "failed", ()), Outcome(3, "test", "skipped", ()), Outcome(4, "test", "skipped", ())]
    assert unproven(outcomes, can_try_all=False) == [2, 3]
    assert untried(outcomes, can_try_all=False) == [4]
    assert unproven(outcomes, can_try_all=True) == [2, 3, 4]
    assert untried(outcomes, can_try_all=True) == []


def test_kinds_of_faults_are_those_of_the_records() -> None:
    shown = re.findall(r"^\| `([A-Z_]+)` \|", TEXT, re.MULTILINE)
    assert tuple(shown) == FAULT_KINDS


def test_limits_of_a_run_are_those_of_the_code() -> None:
    limits = FaultLimits()
    assert f"`max_restarts = {limits.max_restarts}`" in WORDS
    assert f"`max_faults = {limits.max_faults}`" in WORDS


def test_limits_of_a_process_are_those_of_the_code() -> None:
    assert f"{launch.PROCESS_LIMIT} processes and threads" in WORDS
    assert f"{launch.OPEN_FILES_LIMIT:,} open files" in WORDS
    assert launch.FILE_SIZE_LIMIT == 1 << 30
    assert "files of 1 GiB" in WORDS
    assert launch.CPU_LIMIT_S == 7 * 86400
    assert "seven days of processor time" in WORDS
    assert f"{staging.SCRATCH_BYTES >> 20} MiB each" in WORDS
    assert f"`{sandbox.SOCKET}`" in WORDS


def test_limits_of_output_are_those_of_the_code() -> None:
    assert f"last {STDERR_LENGTH:,} characters of its stderr" in WORDS
    assert output.LOG_LIMIT == supervisor.UNTHROTTLED_BYTES == 1 << 20
    assert f"at {supervisor.THROTTLED_BYTES_PER_S >> 20} MiB/s" in WORDS
    assert f"last {output.TAIL_BYTES >> 10} KiB of each output" in WORDS


def test_limits_of_the_server_are_those_of_the_code() -> None:
    assert f"{messages.MAX_MESSAGE >> 10} KiB; up to {seat_door.TRANSPORT_LIMIT >> 10} KiB is read" in WORDS
    assert f"| the first message of a stream | {messages.MAX_HELLO >> 10} KiB |" in TEXT
    connections = f"{seat_door.CONNECTIONS} in a sandbox, else {seat_door.SHARED_CONNECTIONS}"
    assert f"| connections of a local bot | {connections};" in TEXT
    assert f"{link.ACCEPTS_AT_ONCE:,} at once, then {link.ACCEPTS_PER_S:g} a second; more must wait" in WORDS
    assert f"{seat_door.CALLS_AT_ONCE} at once, then {seat_door.CALLS_PER_S:g} a second" in WORDS
    assert f"after {seat_door.MAX_REFUSED_CALLS:,} refused ones" in WORDS
    assert f"more than {link.MAX_OVERHEAD >> 20} MiB and {link.OVERHEAD_FACTOR} times" in WORDS
    assert f"| a message to a bot | {messages.MAX_RESPONSE >> 20} MiB |" in TEXT
    streams = f"{seat_door.STREAMS}; of a remote bot's connection {remote_server.STREAMS}"
    assert f"| streams of a connection, and of a local server | {streams} |" in TEXT
    assert f"wait for the referee | {stream.MAX_UNREAD};" in TEXT
    assert f"more than {messages.MAX_IGNORED:,} messages and answers that nobody asked for" in WORDS
    assert f"| time to finish a handshake | {link.HANDSHAKE_S:g} s |" in TEXT
    assert acceptor.HANDSHAKE_S == link.HANDSHAKE_S
    assert f"while it leaves more than {link.MAX_UNSENT >> 20} MiB untaken" in WORDS


def test_figures_of_waits_for_a_processor_are_those_of_the_code() -> None:
    assert f"every {processor_shares.LOOK_S:g} s" in WORDS
    assert f"a time of more than {bot_clock.LOOK_NS // 1_000_000} ms" in WORDS
    assert f"spared {bot_clock.MAX_WAIT_NS // 1_000_000_000} s of waiting at most" in WORDS
    assert processor_shares.MAX_THREADS == 2
    assert "more than two threads per processor" in WORDS
    assert processor_shares.MAX_USE == 4
    assert "a quarter of all processors" in WORDS


def test_limits_of_strangers_are_those_of_the_code() -> None:
    assert f"{acceptor.HANDSHAKE_S:g} s after it was accepted, with the handshake | {acceptor.MAX_SILENT} |" in TEXT
    assert f"within {remote_server.UNAUTHENTICATED_S:g} s | {remote_server.MAX_UNAUTHENTICATED} |" in TEXT
    assert f"and {remote_server.CLOSING_S:g} s | {remote_server.MAX_ADMITTED} for each bot |" in TEXT
    assert f"the latest {remote_server.MAX_KNOWN} of each bot" in WORDS
    per_s = f"{remote_server.HANDSHAKES_PER_S:g} may begin per second, {remote_server.ADDRESS_HANDSHAKES_PER_S:g}"
    strangers = f"at most {per_s} of them"
    known = f"{remote_server.KNOWN_HANDSHAKES_PER_S:g} and {remote_server.KNOWN_ADDRESS_HANDSHAKES_PER_S:g}"
    assert f"{strangers} from one address ({known} from known addresses)" in WORDS
    assert f"and {remote_server.HANDSHAKES_BURST:g} at once" in WORDS
    assert acceptor.DESCRIPTORS_SHARE == 8
    assert "at most an eighth of the descriptors" in WORDS
    assert f"at most one place per {remote_server.DESCRIPTORS_SHARE}" in WORDS
    assert f"accepts nothing for {acceptor.PAUSE_S:g} s" in WORDS
    descriptors = 2 * acceptor.MAX_SILENT + 2 * remote_server.MAX_UNAUTHENTICATED
    data = 2 * remote_server.MAX_UNAUTHENTICATED * remote_server.MAX_FIRST_BYTES
    assert f"at most {descriptors} descriptors, {data >> 20} MiB of data" in WORDS
    assert f"{admission.MAX_REPORTED_OF_ADDRESS} reasons of one address and {admission.MAX_REPORTED} in all" in WORDS


def test_limits_of_frames_are_those_of_the_code() -> None:
    assert f"| data in all | {remote_server.MAX_FIRST_BYTES >> 10} KiB | no limit |" in TEXT
    block = f"{server.MAX_HEADER_BLOCK >> 10} KiB, {server.MAX_CONTINUATIONS} continuations"
    assert f"| a header block | {block} |" in TEXT
    streams = f"{remote_server.STREAMS_BURST}, and {remote_server.STREAMS_PER_S:g} a second"
    assert f"| new streams | {remote_server.MAX_FIRST_STREAMS} | {streams} |" in TEXT
    frames = f"{remote_server.FRAMES_BURST:,}, and {remote_server.FRAMES_PER_S:,.0f} a second"
    assert f"| frames | {remote_server.MAX_FIRST_FRAMES:,} | {frames} |" in TEXT
    assert f"| {remote_server.CHUNKS_PER_S:,.0f} a second; more must wait |" in TEXT
