"""User ids of bot processes."""

from __future__ import annotations

import os
import subprocess

import pytest

from bowerbird.harness.referee.isolation.launch import NoIsolationError
from bowerbird.harness.referee.isolation.own_user import UserIds, become_user_command

USED, UNUSED = 0x42560001, 0x42560002
"""Outside the range from which bots get theirs."""


def test_no_two_processes_get_one_user() -> None:
    ids = range(0x42550000, 0x42550008)
    users = UserIds(ids)
    assert {users.choose() for _ in ids} == {*ids}
    with pytest.raises(NoIsolationError, match="all user ids for bots are in use"):
        users.choose()


@pytest.mark.usefixtures("processes")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start processes as other users")
def test_a_user_that_a_living_process_has_is_not_chosen() -> None:
    with subprocess.Popen(
        [*become_user_command(USED), "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"x")
        process.stdin.flush()
        assert process.stdout.read(1) == b"x", "it runs as the other user"
        assert UserIds([USED, UNUSED]).choose() == UNUSED
        with pytest.raises(NoIsolationError):
            UserIds([USED]).choose()
