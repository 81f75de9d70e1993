"""What a bot says about itself in Hello, and what the referee makes of it: features, and the time it needs."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest
import trio

from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.referee.connection.participant import capabilities_of
from bowerbird.harness.referee.referee import Referee
from bowerbird.harness.referee.remote.certificate import Certificate, self_signed
from bowerbird.seat.v1 import seat_pb2
from tests.support.deadline import DEADLINE_S
from tests.support.referee.callers import open_admission
from tests.support.referee.raw_client import RawClient, dial
from tests.support.referee.raw_run import RawRun, play_raw
from tests.support.referee.seat_referee import python_bot
from tests.support.referee.tables import bot, conditions

pytestmark = pytest.mark.usefixtures("processes")

BOTH = pytest.mark.parametrize("where", ["local", "hosted"])
BLITZ = TimeControl(per_decision_ms=200, bank_ms=0, startup_ms=20_000)
SENTENCE = "the bot needs at least 250 ms for each decision, and the clock of this run gives 200 ms"


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    return self_signed(["127.0.0.1"])


@BOTH
@pytest.mark.parametrize(
    ("asked", "granted"),
    [
        ([], []),
        (["ponder"], ["ponder"]),
        (["events_only"], ["events_only"]),
        (["telepathy", "ponder", "events_only", "ponder"], ["events_only", "ponder"]),
        (["Ponder", ""], []),
    ],
    ids=lambda features: "+".join(features) or "none",
)
async def test_a_feature_is_granted_if_it_is_known(
    tmp_path: Path, certificate: Certificate, where: str, asked: list[str], granted: list[str]
) -> None:
    """Rule 8: what Welcome does not name is not granted."""

    async def scenario(run: RawRun) -> None:
        welcome = await run.raw.join(features=asked)
        assert list(welcome.features) == granted
        await run.raw.play_on()

    run = await play_raw(scenario, tmp_path / "run", certificate if where == "hosted" else None)
    assert run.faults() == [[], []]


def test_a_bot_that_is_frozen_between_its_decisions_may_not_ponder() -> None:
    able = seat_pb2.Capabilities(features=["ponder", "events_only"])
    assert capabilities_of(able, 4, may_ponder=False).features == ("events_only",)
    assert capabilities_of(able, 4, may_ponder=True).features == ("events_only", "ponder")


@BOTH
async def test_a_bot_that_keeps_its_own_state_plays_without_views(
    tmp_path: Path, certificate: Certificate, where: str
) -> None:
    """ "events_only" also brings the events and HandEnded without a request for them."""
    asked: list[seat_pb2.DecisionRequest] = []

    async def scenario(run: RawRun) -> None:
        await run.raw.join(features=["events_only"])
        await run.raw.play_on()
        for message in run.raw.client.heard:
            asked.extend(message.decision_requests.requests)
        assert len([message for message in run.raw.client.heard if message.HasField("hand_ended")]) == 2

    run = await play_raw(scenario, tmp_path / "run", certificate if where == "hosted" else None)
    assert run.faults() == [[], []]
    for table_id in run.raw.opened:
        requests = [request for request in asked if request.table_id == table_id]
        assert [request.view.HasField("public_view") for request in requests] == [True] + [False] * (len(requests) - 1)
        assert all(request.view.own_view.hand for request in requests)
        assert all(request.events for request in requests[1:])


async def test_a_local_bot_that_needs_more_time_than_there_is_fails_the_roll_call(tmp_path: Path) -> None:
    """The run is refused before its first game, and the bot reads why."""
    body = "capabilities = Capabilities(min_decision_ms=250)\n\ndef act(self, decision):\n    return 0"
    slow = bot("slow", command=python_bot(tmp_path, body))
    with trio.fail_after(DEADLINE_S):
        async with Referee({"slow": slow}, conditions(time=BLITZ), workspace=tmp_path, slots=1, tables=1) as referee:
            [story] = await referee.roll_call()
    assert story.failure == f"NEVER_STARTED: {SENTENCE}"
    assert SENTENCE in story.stderr


@pytest.mark.parametrize("needed_ms", [0, 200])
async def test_a_bot_that_needs_no_more_than_there_is_passes(tmp_path: Path, needed_ms: int) -> None:
    body = f"capabilities = Capabilities(min_decision_ms={needed_ms})\n\ndef act(self, decision):\n    return 0"
    quick = bot("quick", command=python_bot(tmp_path, body))
    with trio.fail_after(DEADLINE_S):
        async with Referee({"quick": quick}, conditions(time=BLITZ), workspace=tmp_path, slots=1, tables=1) as referee:
            assert await referee.roll_call() == ()


async def test_a_hosted_bot_that_needs_more_time_than_there_is_is_turned_away(certificate: Certificate) -> None:
    async with open_admission(certificate, BLITZ) as host:
        client = RawClient(dial(host.address, certificate.trust))
        client.hello(host.tokens()[0], capabilities=seat_pb2.Capabilities(min_decision_ms=250))
        assert await client.refusal() == ("STARTUP", SENTENCE, grpc.StatusCode.DEADLINE_EXCEEDED)
        await host.until_told(f"was turned away: {SENTENCE}")
        again = RawClient(dial(host.address, certificate.trust))
        again.hello(host.tokens()[0], capabilities=seat_pb2.Capabilities(min_decision_ms=200))
        await again.hear_a("welcome")
        client.close()
        again.close()
