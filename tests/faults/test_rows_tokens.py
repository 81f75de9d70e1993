"""A token that is used again after its bot has lost its seat (row 63)."""

from __future__ import annotations

import pytest

from bowerbird.harness.referee.remote.certificate import self_signed
from tests.support.referee.callers import open_admission
from tests.support.referee.fault_matrix import Seen


@pytest.mark.row(63)
async def test_neither_a_token_nor_a_secret_brings_a_lost_seat_back(seen: Seen) -> None:
    """The referee has given up its bot. What is left is the other token of the invitation."""
    async with open_admission(self_signed(["127.0.0.1"])) as host:
        token, spare = host.tokens()
        first = host.caller()
        secret = (await first.come_in(token)).session_secret
        call = host.admission.participant("ada")
        await call.join()
        first.vanish()
        await host.until_told("bot ada has lost its connection")
        await call.leave("FAULT")
        again = host.caller()
        again.hello(token)
        assert await again.refusal() == ("TOKEN", "this token was used before")
        late = host.caller()
        await late.come_back(secret)
        assert (await late.hear()).HasField("goodbye"), "it learns that it is out, and gets no seat"
        await host.caller().come_in(spare)
        await host.until_told("bot ada is here")
    seen("the token: used before; the secret: a Goodbye; the spare token of the invitation seats a new process")
