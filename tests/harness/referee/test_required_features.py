"""A bot that does not know a word of a run's games is not seated, and is told why before the first card."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest
import trio

from bowerbird.engine import variant_names
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.referee.connection.participant import feature_mismatch, required_features
from bowerbird.harness.referee.referee import Referee
from bowerbird.harness.referee.remote.certificate import self_signed
from bowerbird.seat.v1 import seat_pb2
from tests.support.deadline import DEADLINE_S
from tests.support.referee.callers import open_admission
from tests.support.referee.raw_client import RawClient, dial
from tests.support.referee.seat_referee import python_bot
from tests.support.referee.tables import bot, conditions

TIME = TimeControl(per_decision_ms=10_000, bank_ms=0, startup_ms=20_000)
SENTENCE = """the bot does not know "low", which actions of this run's games say: its Hello must name the features"""


def test_a_word_is_required_just_where_actions_say_it() -> None:
    assert required_features([(name, {}) for name in variant_names() if name != "bid-euchre"]) == ()
    assert required_features([("euchre", {}), ("bid-euchre", {})]) == ("lone",)
    assert required_features([("bid-euchre", {"no_trump": "high_low", "lone_bids": "none"})]) == ("low",)


def test_a_bot_lacks_what_it_does_not_name() -> None:
    knows = seat_pb2.Hello(capabilities=seat_pb2.Capabilities(features=["ponder", "low"]))
    assert feature_mismatch(knows, ("low",)) == ""
    assert feature_mismatch(seat_pb2.Hello(), ("low",)) == SENTENCE
    assert feature_mismatch(seat_pb2.Hello(), ()) == ""
    assert feature_mismatch(seat_pb2.Hello(), ("lone", "low")).startswith(
        'the bot does not know "lone" and "low", which'
    )


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("knows", [("low",), ("lone",)])
async def test_a_local_bot_that_does_not_know_low_fails_the_roll_call(tmp_path: Path, knows: tuple[str, ...]) -> None:
    body = f"capabilities = Capabilities(knows={knows})\n\ndef act(self, decision):\n    return 0"
    bots = {"old": bot("old", command=python_bot(tmp_path, body))}
    with trio.fail_after(DEADLINE_S):
        async with Referee(
            bots, conditions(time=TIME), workspace=tmp_path, slots=1, tables=1, required=("low",)
        ) as referee:
            stories = await referee.roll_call()
    assert [story.failure for story in stories] == ([] if "low" in knows else [f"NEVER_STARTED: {SENTENCE}"])


@pytest.mark.usefixtures("processes")
async def test_a_hosted_bot_that_does_not_know_low_is_turned_away() -> None:
    certificate = self_signed(["127.0.0.1"])
    async with open_admission(certificate, TIME, required=("low",)) as host:
        client = RawClient(dial(host.address, certificate.trust))
        client.hello(host.tokens()[0], capabilities=seat_pb2.Capabilities())
        assert await client.refusal() == ("STARTUP", SENTENCE, grpc.StatusCode.DEADLINE_EXCEEDED)
        again = RawClient(dial(host.address, certificate.trust))
        again.hello(host.tokens()[0], capabilities=seat_pb2.Capabilities(features=["low"]))
        await again.hear_a("welcome")
        client.close()
        again.close()
