"""Bots that reach out of their process, in a sandbox: rows 19, 20 and 30 of faults.md.

Each attempt is also made without isolation, where it must succeed: an attempt that cannot succeed proves nothing.
"""

from __future__ import annotations

import dataclasses
import json
import os
import socket
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import GOOD, Bowerbird
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.isolated import nothing_worked, play_beside_honest_bots, printed, require
from tests.support.referee.tables import bot, running

TIERS = ("sandbox", "none")


def _pry(bowerbird: Bowerbird, tier: str) -> None:
    """Play a tournament of a bot whose manifest lets it read the whole folder in which it is played."""
    database = bowerbird.folder / "results" / "x.db"
    wanted = json.dumps([f"{database.parent}/*", f"{database.parent}/logs/*/*"])
    bad = bowerbird.bot("bad", "pries", "0", PRY=wanted)
    with (bad / "bot.toml").open("a") as manifest:
        manifest.write('[sandbox]\nread = ["../.."]\n')
    file = bowerbird.tournament(GOOD, bad, bowerbird.bot("good", "honest"))
    database.parent.mkdir()
    bowerbird.done("tournament", file, "--db", database, "--quiet", "--isolation", tier)


@pytest.mark.row(19)
@pytest.mark.parametrize("tier", TIERS)
def test_a_bot_reads_no_other_process_nor_the_store_nor_another_seats_socket(
    bowerbird: Bowerbird, seen: Seen, tier: str
) -> None:
    require(tier)
    _pry(bowerbird, tier)
    found = {word: printed(bowerbird.folder, word) for word in ("processes", "files", "sockets")}
    if tier == "none":
        assert all(any(answers) for answers in found.values()), f"each of these can be read without isolation: {found}"
        return
    if os.geteuid() != 0:  # there process 1 is the sandbox's own, under the bot's user, and knows what the bot knows
        found["processes"] = [[path for path in one if not path.startswith("/proc/1/")] for one in found["processes"]]
    assert all(nothing_worked(answers) for answers in found.values()), found
    seen("no process, file of the store or socket of another seat could be read")


@pytest.fixture
def network() -> Iterator[str]:
    """Return as JSON a TCP port and an abstract socket that anybody on this machine can reach."""
    name = f"bowerbird-{uuid.uuid4()}"
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0{name}")
        abstract.listen()
        yield json.dumps([tcp.getsockname()[1], name])


@pytest.mark.row(20)
@pytest.mark.parametrize("tier", TIERS)
def test_a_bot_signals_nobody_and_reaches_no_network(tmp_path: Path, seen: Seen, network: str, tier: str) -> None:
    bad = bot("bad", "attacks", "0")
    bad = dataclasses.replace(
        bad, environment={**bad.environment, "NETWORK": network, "PIDS": json.dumps([os.getpid()])}
    )
    records = play_beside_honest_bots(bad, tmp_path, tier)
    assert [record.faults for record in records] == [(), ()]
    signals, reached = printed(tmp_path, "signals"), printed(tmp_path, "network")
    if tier == "none":
        assert str(os.getpid()) in signals[0]
        assert reached[0] == ["tcp", "abstract"]
        return
    assert nothing_worked(signals), signals
    assert nothing_worked(reached), reached
    seen("no process could be signalled, no network be reached")


@pytest.mark.row(30)
@pytest.mark.parametrize("tier", TIERS)
def test_an_instance_cannot_tell_another_what_it_sees(tmp_path: Path, seen: Seen, tier: str) -> None:
    bad = bot("bad", "whispers", "0", "--every")
    mark = uuid.uuid4().hex[:7]
    bad = dataclasses.replace(bad, environment={**bad.environment, "WHISPER": mark}, cwd=tmp_path)
    try:
        records = play_beside_honest_bots(bad, tmp_path, tier)
        assert [record.faults for record in records] == [(), ()]
        heard = printed(tmp_path, "heard")
        if tier == "none":
            kinds = {words.rpartition("/whisper-")[0] or words for answer in heard for words in answer}
            assert {"/tmp", "/dev/shm", str(tmp_path), "abstract socket", "shared memory", "lock"} <= kinds
            return
        assert len(heard) > 2, "both instances have listened"
        assert nothing_worked(heard), heard
        assert not running(tmp_path)
        seen("no mark in a file, socket or shared memory, and no other process, was found")
    finally:
        for folder in ("/tmp", "/dev/shm"):
            for name in os.listdir(folder):
                if name.startswith(f"whisper-{mark}-"):
                    os.remove(os.path.join(folder, name))
