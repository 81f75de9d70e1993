"""A token that is used again after its bot has lost its seat (row 63)."""

from __future__ import annotations

import pytest

from bowerbird.harness.referee.remote.certificate import self_signed
from tests.support.referee.callers import open_admission
from tests.support.referee.fault_matrix import Seen


@pytest.mark.row(63)
async def test_neither_a_token_nor_a_secret_brings_a_lost_seat_back(seen: Seen) -> None:
    """The session is over: its bot did not come back in time. What is left is the other token of the invitation."""
    async with open_admission(self_signed(["127.0.0.1"])) as host:
        token, spare = host.tokens()
        first = host.caller()
        secret = (await first.come_in(token)).session_secret
        call = host.admission.participant("ada")
        await call.join()
        first.vanish()
        await host.until_told("bot ada has lost its connection")
        await call.leave("FAULT")
        for words in ({"token": token}, {"secret": secret}, {"token": token, "secret": secret}):
            again = host.caller()
            again.hello(**words)
            code, sentence = await again.refusal()
            assert (code, sentence) in (
                ("TOKEN", "this token was used before"),
                ("SESSION_OVER", "this session is over"),
            )
        assert not host.admission.invitations["grace"].has_free_session or host.tokens("grace")
        await host.caller().come_in(spare)
        await host.until_told("bot ada is here")
    seen("refused: used before, or over; the spare token of the invitation seats a new process")
