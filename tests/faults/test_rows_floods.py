"""Floods from those who may not play, and from one bot that may, at a hosted referee (faults.md rows 33, 39 and 46)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bowerbird.harness.http2.server import HEADERS_TOO_LARGE
from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.hosted import PYTHON, Hosted, hosted, network, remote
from tests.support.paths import ROOT
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.offence import long

STRANGER = "tests.support.command.stranger"

CUP = """
[tournament]
seed = "floods"
sets = 1
unit = "deals"
max_restarts = 0
[time]
per_decision = "60s"
startup = "60s"
[[variant]]
name = "euchre"
[[bot]]
remote = true
name = "ada"
"""

DELAY_S = 0.06
"""The connection of such a distant bot says Hello some 300 ms after it was accepted."""

CUT_AFTER = 4_000
"""Bytes from the referee: the welcome and a few decisions."""

MAX_GROWTH_MIB = 96
"""How much memory strangers may cost the referee: 64 connections with four threads and 64 KiB each, and more."""


def cup(bowerbird: Bowerbird) -> Path:
    """Write a tournament of ada and a local bot."""
    return bowerbird.tournament(CUP, bowerbird.bot("local", "honest"))


@contextmanager
def flood(host: Hosted, kind: str, source: str) -> Iterator[None]:
    """Let a stranger flood the referee; return once the flood is running, and end it on leaving."""
    command = (PYTHON, "-m", STRANGER, kind, host.invitation("ada")["BOWERBIRD_ADDRESS"], source)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as stranger:
        try:
            assert stranger.stdout is not None
            assert "attempts" in stranger.stdout.readline(), "the stranger did not start"
            yield
            assert stranger.poll() is None, "the flood has ended too soon"
        finally:
            stranger.kill()


def memory_mib(host: Hosted, field: str) -> int:
    """Return a field of the referee's memory: VmRSS is what it has now, VmHWM the most it has had."""
    lines = Path(f"/proc/{host.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) >> 10


def faults(bowerbird: Bowerbird) -> list[tuple[str, str, str]]:
    """Return the faults of the run: who, what kind, which detail."""
    with Store.open(bowerbird.folder / "x.db") as store:
        return [(one.bot, one.kind, one.detail) for one in store.run(None).faults()]


def turned_away(host: Hosted) -> list[str]:
    """Return what the organiser was told about strangers."""
    return [line for line in host.said if "was turned away" in line]


@pytest.mark.row(39)
@pytest.mark.parametrize(
    ("kind", "source"),
    [("connections", "127.0.0.1"), long("handshakes", "127.0.0.1"), long("handshakes", "127.0.0.2")],
)
def test_a_bot_comes_back_through_a_flood_and_loses_no_game(
    bowerbird: Bowerbird, seen: Seen, kind: str, source: str
) -> None:
    """The bot comes from 127.0.0.1, and its data takes 60 ms each way."""
    with hosted(bowerbird, cup(bowerbird)) as host:
        host.until_invited()
        target = host.invitation("ada")["BOWERBIRD_ADDRESS"]
        with (
            network(target, CUT_AFTER, delay_s=DELAY_S) as net,
            remote(host, "ada", BOWERBIRD_ADDRESS=net.address) as ada,
        ):
            host.until("bot ada is here")
            with flood(host, kind, source):
                host.until("bot ada is back")
                host.until("bot ada is back")
                host.until("is complete")
            host.ended()
            assert ada.ended()[0] == 0
    assert not faults(bowerbird)
    seen(f"500 {kind} a second from {source}: back after each of {net.cuts} cuts, no fault")


@pytest.mark.row(33)
@pytest.mark.row(46)
@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("headers", HEADERS_TOO_LARGE),
        long("messages", "it sent too much before its Hello"),
        ("tokens", "this token is not known here"),
        long("versions", "the referee speaks protocol version 1, the bot 9, 10, 11, 12, 13, 14, 15, 16 and "),
        long("lists", "it opened too many streams"),
    ],
)
def test_what_strangers_say_without_a_token_costs_little_and_is_told_once(
    bowerbird: Bowerbird, seen: Seen, kind: str, sentence: str
) -> None:
    with hosted(bowerbird, cup(bowerbird)) as host:
        host.until_invited()
        before = memory_mib(host, "VmRSS")
        with flood(host, kind, "127.0.0.2"):
            host.until(sentence)
            with remote(host, "ada") as ada:
                host.until("is complete")
                grown = memory_mib(host, "VmHWM") - before
                host.ended()
                assert ada.ended()[0] == 0
    assert not faults(bowerbird)
    assert grown <= MAX_GROWTH_MIB, f"strangers made the referee take {grown} MiB more"
    told = turned_away(host)
    assert len([line for line in told if sentence in line]) == 1, told
    assert len(told) <= 10
    assert all(line.isprintable() and len(line) < 200 for line in told)
    seen(f"{kind}: cut, told once, {grown} MiB more with a whole run; no fault")


@pytest.mark.row(33)
def test_headers_without_end_of_an_admitted_bot_are_cut_and_its_fault(bowerbird: Bowerbird, seen: Seen) -> None:
    with hosted(bowerbird, cup(bowerbird)) as host:
        host.until_invited()
        before = memory_mib(host, "VmRSS")
        with remote(host, "ada", PYTHON, "-m", STRANGER, "bot") as ada:
            host.until("fault: bot ada, PROTOCOL")  # the run may end before it says that the bot is gone
            grown = memory_mib(host, "VmHWM") - before
            assert ada.ended()[0] == 0
            host.ended()
    kind, detail = next((kind, detail) for bot, kind, detail in faults(bowerbird) if bot == "ada")
    assert (kind, detail) == ("PROTOCOL", HEADERS_TOO_LARGE)
    assert grown <= MAX_GROWTH_MIB, f"a bot made the referee take {grown} MiB more"
    seen(f"PROTOCOL: {detail}; {grown} MiB more with a whole run")
