"""The table of bad messages in the contract's header: each row is tried on a real referee, by a local and a hosted bot.

A row of the table without a scenario here fails, and so does a scenario without a row.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest

from bowerbird.harness.records.values.faults import FAULT_KINDS
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.referee.connection.messages import MAX_IGNORED, MAX_MESSAGE, MAX_NOTE
from bowerbird.harness.referee.connection.seat_door import TRANSPORT_LIMIT
from bowerbird.harness.referee.connection.stream import STATUS
from bowerbird.harness.referee.remote import remote_server
from bowerbird.harness.referee.remote.certificate import Certificate, self_signed
from bowerbird.seat.v1 import seat_pb2, table_pb2
from tests.support.paths import ROOT
from tests.support.referee.callers import open_admission
from tests.support.referee.raw_client import RawClient, dial
from tests.support.referee.raw_run import RAW, RawRun, Scenario, chosen, play_raw
from tests.support.referee.tables import PATIENT

CONTRACT = (ROOT / "proto" / "bowerbird" / "seat" / "v1" / "seat.proto").read_text(encoding="utf-8")
LOCAL, HOSTED = "local", "hosted"
BOTH = (LOCAL, HOSTED)

SHORT_START = TimeControl(per_decision_ms=20_000, bank_ms=0, startup_ms=3000)
"""For a bot that never becomes ready; the other one has this long, too."""

SHORT_TURN = TimeControl(per_decision_ms=2500, bank_ms=0, margin_ms=20, startup_ms=30_000)
"""For a bot that is late."""


@dataclass(frozen=True)
class Row:
    """A row of the table: what the referee does, what the bot is told, and what it loses."""

    message: str
    referee: str
    told: str
    lost: str

    @property
    def fault(self) -> str:
        """The kind of the fault; "" for none."""
        kind = self.referee.split()[0]
        return kind if kind in FAULT_KINDS else "NEVER_STARTED" if self.lost == "never started" else ""

    @property
    def error(self) -> str:
        """The code of the Error that the bot is told; "" for none."""
        return self.told.removeprefix("Error ") if self.told.startswith("Error ") else ""


def rows() -> dict[str, Row]:
    """Return the table as it is in the contract."""
    head = CONTRACT[: CONTRACT.index('syntax = "proto3"')]
    rule = re.search(r"^//   (-+)  (-+)  (-+)  (-+)$", head, re.MULTILINE)
    assert rule is not None, "the table of bad messages has lost its rule"
    places = [rule.start(column) - rule.start(1) for column in range(1, 5)]
    lines = head[rule.end() + 1 :].split("//\n", 1)[0].splitlines()
    cells = [
        [line[5:][start:end].strip() for start, end in zip(places, [*places[1:], None], strict=True)] for line in lines
    ]
    return {row[0]: Row(*row) for row in cells}


ROWS = rows()


def statuses() -> dict[str, str]:
    """Return the status of a stream that ends with a fatal Error, by its code, as the contract states it."""
    said = re.search(r"never OK: (.+?)\.\n", CONTRACT.replace("\n// ", " "), re.DOTALL)
    assert said is not None
    pairs = re.findall(r"([A-Z_]+) \(([A-Z_, ]+)\)", said[1])
    return {code: status for status, codes in pairs for code in codes.split(", ")}


@dataclass(frozen=True)
class Case:
    """How a row is done, by which bots, and under which clock."""

    scenario: Scenario
    where: tuple[str, ...]
    time: TimeControl


CASES: dict[str, Case] = {}


def done_so(message: str, where: tuple[str, ...] = BOTH, time: TimeControl = PATIENT) -> Callable[[Scenario], Scenario]:
    """Register the scenario of a row."""

    def register(scenario: Scenario) -> Scenario:
        assert message not in CASES
        CASES[message] = Case(scenario, where, time)
        return scenario

    return register


# Before the bot plays.


async def refused_first(run: RawRun, say: Callable[[], Awaitable[None]]) -> None:
    """Let a stream be refused; then join properly, and play to the end."""
    await run.raw.dial()
    await say()
    await run.raw.client.refusal()
    await run.raw.join()
    await run.raw.play_on()


@done_so("first message is not a Hello")
async def no_hello(run: RawRun) -> None:
    async def say() -> None:
        run.raw.client.ready()

    await refused_first(run, say)


@done_so("first message is not a PlayRequest")
async def no_request(run: RawRun) -> None:
    async def say() -> None:
        run.raw.client.say(b"\xff\xff\xff\xff")

    await refused_first(run, say)


@done_so("no Hello in time", where=(HOSTED,))
async def silence(run: RawRun) -> None:
    async def say() -> None:
        """Say nothing."""

    await refused_first(run, say)


@done_so("Hello with an unknown token")
async def unknown_token(run: RawRun) -> None:
    async def say() -> None:
        run.raw.client.hello("guessed")

    await refused_first(run, say)


@done_so("Hello without a common version", where=(HOSTED,))
async def unknown_version(run: RawRun) -> None:
    async def say() -> None:
        run.raw.client.hello(run.raw.card.token, version=2)

    await refused_first(run, say)


async def second_stream(run: RawRun, token: str, secret: str) -> None:
    """Join, let a second stream be refused, and play to the end on the first."""
    raw = run.raw
    await raw.join()
    await raw.asked()
    first = raw.client
    second = await raw.dial()
    second.hello(token, secret)
    await second.refusal()
    raw.client = first
    await raw.play_on()


@done_so("Hello with a token in use")
async def token_in_use(run: RawRun) -> None:
    await run.raw.dial()
    await second_stream(run, run.raw.card.token, "")


@done_so("Hello with an unknown session_secret")
async def unknown_secret(run: RawRun) -> None:
    await second_stream(run, "", "guessed")


@done_so("Decisions before Ready", time=SHORT_START)
async def decides_too_early(run: RawRun) -> None:
    await run.raw.greet()
    run.raw.answer(seat_pb2.Decision(table_id="any", action_index=0))
    await run.raw.client.refusal()


@done_so("no Ready in time", time=SHORT_START)
async def never_ready(run: RawRun) -> None:
    await run.raw.greet()
    await run.raw.client.refusal()


async def early(run: RawRun, say: Callable[[], None]) -> None:
    """Say something between Welcome and Ready, then play to the end."""
    await run.raw.greet()
    say()
    run.raw.client.ready()
    await run.raw.play_on()


# What breaks the protocol.


async def offend(run: RawRun, say: Callable[[], None], compression: grpc.Compression | None = None) -> None:
    """Sit at all tables, say something, and listen to the end."""
    await run.raw.join(compression)
    await run.raw.asked()
    run.raw.open_requests.clear()
    say()
    await run.raw.play_on()


@done_so("second Hello")
async def second_hello(run: RawRun) -> None:
    await offend(run, lambda: run.raw.client.hello(run.raw.card.token))


@done_so("second Ready")
async def second_ready(run: RawRun) -> None:
    await offend(run, lambda: run.raw.say(ready=seat_pb2.Ready()))


@done_so("BotFault")
async def bot_fault(run: RawRun) -> None:
    await offend(run, lambda: run.raw.say(bot_fault=seat_pb2.BotFault(message="out of ideas")))


@done_so("bytes that are not a PlayRequest")
async def malformed(run: RawRun) -> None:
    await offend(run, lambda: run.raw.client.say(b"\xff\xff\xff\xff"))


@done_so("compressed message")
async def compressed(run: RawRun) -> None:
    """gRPC compresses what becomes smaller: not the Hello, but this."""
    long = seat_pb2.Decision(table_id="x" * 4096)
    await offend(run, lambda: run.raw.answer(long), grpc.Compression.Gzip)


@done_so("message over max_message_bytes")
async def oversize(run: RawRun) -> None:
    await offend(run, lambda: run.raw.answer(seat_pb2.Decision(table_id="x" * MAX_MESSAGE)))


@done_so("over 1000 ignored messages and answers")
async def flood(run: RawRun) -> None:
    await offend(run, lambda: run.raw.answer(*[seat_pb2.Decision(table_id="x")] * (MAX_IGNORED + 1)))


# What is ignored.


async def play_after(run: RawRun, say: Callable[[seat_pb2.DecisionRequest], None]) -> None:
    """Say something while a decision is open, then play to the end."""
    await run.raw.join()
    say(await run.raw.asked())
    await run.raw.play_on()


@done_so("PlayRequest without a message")
async def empty(run: RawRun) -> None:
    await play_after(run, lambda request: run.raw.say())


@done_so("Decisions without a Decision")
async def no_decision(run: RawRun) -> None:
    await play_after(run, lambda request: run.raw.answer())


@done_so("Pong without a Ping")
async def stray_pong(run: RawRun) -> None:
    await play_after(run, lambda request: run.raw.say(pong=seat_pb2.Pong(ping_id=17)))


@done_so("answer with an unknown table_id")
async def unknown_table(run: RawRun) -> None:
    await play_after(run, lambda request: run.raw.answer(chosen(request, table_id="elsewhere")))


@done_so("Resign with an unknown table_id")
async def unknown_resignation(run: RawRun) -> None:
    await play_after(run, lambda request: run.raw.say(resign=seat_pb2.Resign(table_id="elsewhere")))


@done_so("second answer to a decision")
async def twice(run: RawRun) -> None:
    """In the same message and in another one, with a different choice."""
    await play_after(
        run, lambda request: run.raw.answer(chosen(request), chosen(request), chosen(request, action_index=0))
    )


@done_so("answer to an old decision_id")
async def old_decision(run: RawRun) -> None:
    raw = run.raw
    await raw.join()
    first = await raw.asked()
    await raw.play_until(lambda message: bool(raw.open_requests) and any(map(is_later(first), raw.open_requests)))
    raw.answer(chosen(first), chosen(first, action_index=99))
    await raw.play_on()


def is_later(first: seat_pb2.DecisionRequest) -> Callable[[seat_pb2.DecisionRequest], bool]:
    return lambda request: request.table_id == first.table_id and request.decision_id > first.decision_id


@done_so("answer after TableClosed")
async def closed_table(run: RawRun) -> None:
    raw = run.raw
    await raw.join()
    await raw.asked()
    closed = (await raw.play_until(lambda message: message.HasField("table_closed"))).table_closed
    raw.answer(seat_pb2.Decision(table_id=closed.table_id, decision_id=99, action_index=0))
    await raw.play_on()


@done_so("answer after Goodbye")
async def after_goodbye(run: RawRun) -> None:
    raw = run.raw
    await raw.join()
    await raw.asked()
    await raw.play_until(lambda message: message.HasField("goodbye"))
    raw.answer(seat_pb2.Decision(table_id=raw.opened[0], action_index=0))
    await raw.play_on()


# What costs a game.


async def answer_wrong(run: RawRun, **changes: object) -> None:
    """Answer one decision with changes, then play on at the other table."""
    raw = run.raw
    await raw.join()
    raw.answer(chosen(await raw.asked(), **changes))
    raw.open_requests.clear()
    await raw.play_on()


@done_so("answer to a future decision_id")
async def future_decision(run: RawRun) -> None:
    await answer_wrong(run, decision_id=4000)


@done_so("answer with neither index nor token")
async def no_choice(run: RawRun) -> None:
    await answer_wrong(run, action_index=None)


@done_so("action_index out of range")
async def out_of_range(run: RawRun) -> None:
    await answer_wrong(run, action_index=99)


@done_so("token that is not a legal action's")
async def illegal_token(run: RawRun) -> None:
    await answer_wrong(run, action_index=None, action="play X1")


@done_so("token in another case")
async def other_case(run: RawRun) -> None:
    raw = run.raw
    await raw.join()
    request = await raw.asked()
    token = request.legal_actions[0].token
    assert token.upper() != token
    raw.answer(chosen(request, action_index=None, action=token.upper()))
    raw.open_requests.clear()
    await raw.play_on()


@done_so("answer after the deadline", time=SHORT_TURN)
async def late(run: RawRun) -> None:
    """The referee does not wait for the answer, which comes once the bot has been told."""
    raw = run.raw
    await raw.join()
    request = await raw.asked()
    raw.open_requests.clear()
    error = (await raw.hear_until(lambda message: message.HasField("error"))).error
    assert error.table_id == request.table_id
    raw.answer(chosen(request))
    await raw.play_on()


@done_so("Resign")
async def resign(run: RawRun) -> None:
    raw = run.raw
    await raw.join()
    request = await raw.asked()
    raw.open_requests.clear()
    raw.say(resign=seat_pb2.Resign(table_id=request.table_id))
    await raw.play_on()


@done_so("note over max_note_bytes")
async def long_note(run: RawRun) -> None:
    raw = run.raw
    await raw.join()
    request = await raw.asked()
    raw.open_requests.clear()
    raw.answer(chosen(request, note="n" * (MAX_NOTE + 1) + "end of the note"))
    await raw.play_on()


@done_so("end of the stream before Goodbye")
async def leaves(run: RawRun) -> None:
    await run.raw.join()
    await run.raw.asked()
    run.raw.client.half_close()


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    return self_signed(["127.0.0.1"])


def test_every_row_is_done_and_nothing_else() -> None:
    assert len(ROWS) > 30
    assert CASES.keys() == ROWS.keys()


def test_every_status_is_the_contracts() -> None:
    assert statuses() == {code: status.name for code, status in STATUS.items()}


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("message", "where"),
    [(message, where) for message, case in CASES.items() for where in case.where],
    ids=lambda value: value.replace(" ", "-"),
)
async def test_the_referee_does_what_the_row_says(
    tmp_path: Path, certificate: Certificate, monkeypatch: pytest.MonkeyPatch, message: str, where: str
) -> None:
    monkeypatch.setattr(remote_server, "HELLO_S", 0.3)  # the contract's 5 s, for a bot that is silent on purpose
    row, case = ROWS[message], CASES[message]
    run = await play_raw(case.scenario, tmp_path / "run", certificate if where == HOSTED else None, case.time)
    check_told(run, row)
    check_lost(run, row)
    if row.message == "note over max_note_bytes" and where == LOCAL:
        assert any("n" * MAX_NOTE in log for log in run.logs)
        assert not any("end of the note" in log for log in run.logs)


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("message", ["no Hello in time", "Hello without a common version"])
async def test_a_local_process_cannot_come_again_after_these(tmp_path: Path, message: str) -> None:
    """The bot is told what the row says. "Nothing yet" is lost by a hosted bot, whose next call may be right."""

    async def scenario(run: RawRun) -> None:
        client = await run.raw.dial()
        if message != "no Hello in time":
            client.hello(run.raw.card.token, version=2)
        await client.refusal()

    run = await play_raw(scenario, tmp_path / "run", time=SHORT_START)
    check_told(run, ROWS[message])
    assert run.faults() == [["NEVER_STARTED"], ["NEVER_STARTED"]]


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("where", BOTH)
@pytest.mark.parametrize("what", ["PlayRequest without a message", "Pong without a Ping"])
async def test_what_means_nothing_is_ignored_before_ready_too(
    tmp_path: Path, certificate: Certificate, what: str, where: str
) -> None:
    """A later version of v1 may say something there that this one does not know (rule 8)."""
    said = seat_pb2.PlayRequest() if "Pong" not in what else seat_pb2.PlayRequest(pong=seat_pb2.Pong(ping_id=1))

    async def scenario(run: RawRun) -> None:
        await early(run, lambda: run.raw.client.say(said))

    run = await play_raw(scenario, tmp_path / "run", certificate if where == HOSTED else None)
    check_told(run, ROWS[what])
    check_lost(run, ROWS[what])


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("where", BOTH)
async def test_a_flood_before_ready_is_bounded(tmp_path: Path, certificate: Certificate, where: str) -> None:
    async def scenario(run: RawRun) -> None:
        await run.raw.greet()
        for _ in range(MAX_IGNORED + 1):
            run.raw.say()
        assert (await run.raw.client.refusal())[0] == "PROTOCOL"

    run = await play_raw(scenario, tmp_path / "run", certificate if where == HOSTED else None, SHORT_START)
    assert run.faults() == [["NEVER_STARTED"], ["NEVER_STARTED"]]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (seat_pb2.PlayRequest(ready=seat_pb2.Ready()), "said ready a second time"),
        (seat_pb2.PlayRequest(hello=seat_pb2.Hello()), "said hello a second time"),
    ],
    ids=["ready", "hello"],
)
async def test_a_hosted_bot_that_waits_for_its_first_game_has_said_both(
    certificate: Certificate, said: seat_pb2.PlayRequest, sentence: str
) -> None:
    async with open_admission(certificate) as host:
        client = RawClient(dial(host.address, certificate.trust))
        client.hello(host.tokens()[0])
        await client.hear_a("welcome")
        client.ready()
        await host.until_told("bot ada is here")
        client.say(said)
        assert await client.refusal() == ("PROTOCOL", sentence, grpc.StatusCode.INVALID_ARGUMENT)
        await host.until_told(f"bot ada is gone ({sentence})")
        client.close()


async def test_plain_text_at_an_address_for_tls_is_told_so(certificate: Certificate) -> None:
    async with open_admission(certificate) as host:
        client = RawClient(dial(host.address))
        client.hello(host.tokens()[0])
        code, sentence, status = await client.refusal()
        assert (code, status.name) == ("TLS", statuses()["TLS"])
        await host.until_told(f"was turned away: {sentence}")
        client.close()


async def test_what_goes_to_no_table_is_ignored_while_a_hosted_bot_waits(certificate: Certificate) -> None:
    async with open_admission(certificate) as host:
        client = RawClient(dial(host.address, certificate.trust))
        client.hello(host.tokens()[0])
        await client.hear_a("welcome")
        client.ready()
        client.say(seat_pb2.PlayRequest(decisions=seat_pb2.Decisions(decisions=[seat_pb2.Decision(table_id="x")])))
        client.say(seat_pb2.PlayRequest(resign=seat_pb2.Resign(table_id="x")))
        await host.admission.participant("ada").join()
        client.close()


@pytest.mark.usefixtures("processes")
async def test_a_message_beyond_what_grpc_takes_ends_the_stream(tmp_path: Path) -> None:
    """The paragraph below the table: above 128 KiB it is the table's last row, except for the status."""

    async def scenario(run: RawRun) -> None:
        await run.raw.join()
        await run.raw.asked()
        run.raw.client.say(b"\0" * (TRANSPORT_LIMIT + 1))
        assert await run.raw.client.status() != grpc.StatusCode.OK

    run = await play_raw(scenario, tmp_path / "run")
    check_lost(run, ROWS["end of the stream before Goodbye"])


def check_told(run: RawRun, row: Row) -> None:
    """Compare what the bot was told with the row."""
    errors = run.raw.errors()
    assert [seat_pb2.ErrorCode.Name(error.code) for error in errors] == (
        [f"ERROR_CODE_{row.error}"] if row.error else []
    ), [error.message for error in errors]
    for error in errors:
        [client] = [client for client in run.raw.clients if any(heard.error == error for heard in client.heard)]
        after = [heard.WhichOneof("message") for heard in client.heard]
        after = after[after.index("error") + 1 :]
        assert error.message
        if row.referee == "ends stream":
            assert (error.fatal, error.table_id, error.retryable, after) == (True, "", False, [])
            assert client.call.code().name == statuses()[row.error]
        else:
            assert not error.fatal
            assert client.call.code() == grpc.StatusCode.OK
            assert bool(error.table_id) is (row.lost == "game")
        if row.fault == "PROTOCOL":
            goodbye = client.heard[-1].goodbye
            assert goodbye.reason == seat_pb2.GOODBYE_REASON_FAULT
    if row.told == "TableClosed":
        faults = [[table_pb2.FaultKind.Name(fault.kind) for fault in end.faults] for end in run.raw.closed.values()]
        assert sorted(faults) == [[], [f"FAULT_KIND_{row.fault}"]]


def check_lost(run: RawRun, row: Row) -> None:
    """Compare what the bot lost with the row."""
    kinds = sorted(run.faults())
    assert all(record.seats[fault.seat].bot == RAW for record in run.records for fault in record.faults)
    match row.lost:
        case "nothing" | "nothing yet":
            assert kinds == [[], []]
            assert len(run.raw.closed) == 2, "it plays both games to their ends"
        case "game":
            assert kinds == [[], [row.fault]]
            assert len(run.raw.closed) == 2, "it plays on at the other table"
        case "all" | "never started":
            assert kinds == [[row.fault], [row.fault]]
        case other:
            raise AssertionError(f"the table has a new word for what is lost: {other!r}")
