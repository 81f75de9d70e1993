"""`bowerbird host`: bots on the other side of TLS, as processes with nothing but their invitations."""

from __future__ import annotations

import json
import shlex
import socket
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.run import commitment_of
from bowerbird.harness.referee.remote.certificate import self_signed
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.plan import seed_of
from bowerbird.harness.tournament.preparation.build import prepare
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.hosted import PYTHON, RemoteBot, hosted, network, remote
from tests.support.command.run_records import actions
from tests.support.paths import ROOT
from tests.support.records.every_game import every_game

CUP = """
[tournament]
seed = "hosted"
sets = {sets}
unit = "deals"
{terms}
[[variant]]
name = "euchre"
[[bot]]
remote = true
name = "ada"
"""
"""A tournament with one remote bot."""

GRACE = """
[[bot]]
remote = true
name = "grace"
"""

BRIEF = """
tables = 1
[time]
per_decision = "2s"
bank = "1s"
startup = "{startup}"
"""
"""Ada plays one table at a time, with three seconds for it."""


SOON = 'reconnect = "1s"'
"""A bot that is away is soon given up."""


def cup(bowerbird: Bowerbird, *more: str, sets: int = 2, terms: str = "") -> Path:
    """Write a tournament of ada, `more`, and a local bot."""
    return bowerbird.tournament(CUP.format(sets=sets, terms=terms) + "".join(more), bowerbird.bot("local", "honest"))


def faults(bowerbird: Bowerbird) -> set[tuple[str, str]]:
    """Return the faults of the run: who did what wrong."""
    with Store.open(bowerbird.folder / "x.db") as store:
        return {(fault.bot, fault.kind) for fault in store.run(None).faults()}


def check_refused(bot: RemoteBot, sentence: str, hint: str) -> None:
    """Assert that the bot ended with the referee's sentence and what to do about it."""
    code, said = bot.ended()
    assert code == 1
    assert said.startswith(f"the referee ended the session: {sentence} ({hint}")


def test_two_remote_bots_and_a_local_one_play_a_tournament(bowerbird: Bowerbird) -> None:
    with hosted(bowerbird, cup(bowerbird, GRACE), "--json") as host:
        host.until_invited()
        with remote(host, "ada", PYTHON, "-m", "bowerbird.bots.greedy") as ada, remote(host, "grace") as grace:
            shown = host.ended()
            assert (ada.ended()[0], grace.ended()[0]) == (0, 0)
    assert json.loads(shown)["unprotected"] == ["ada", "grace"]
    assert "unprotected: bots ada, grace; " in bowerbird.done("standings", "--db", "x.db")
    assert not faults(bowerbird)
    with Store.open(bowerbird.folder / "x.db") as store:
        records = [store.record(game.id) for game in every_game(store)]
    assert len(records) == 12
    for record in records:
        is_remote = any(seat.bot != "local" for seat in record.seats)
        assert record.conditions.instances == "remote" if is_remote else "seat"
        assert all((seat.fingerprint == "remote") == (seat.bot != "local") for seat in record.seats)
    bowerbird.done("verify", "--db", "x.db")


def test_invitations_are_for_the_organisers_eyes_alone(bowerbird: Bowerbird) -> None:
    with hosted(bowerbird, cup(bowerbird), "--wait", "0.01") as host:
        host.ended(2)
        [file] = (bowerbird.folder / "invitations").glob("*/ada.env")
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.parent.stat().st_mode & 0o777 == 0o700
        printed = [line.strip() for line in host.said if line.startswith("  BOWERBIRD_")]
        assert printed == [line for line in file.read_text().splitlines() if line.startswith("BOWERBIRD_")]


def test_quiet_shows_the_commitment_and_no_token(bowerbird: Bowerbird) -> None:
    """The commitment is the organiser's promise to the bots."""
    with hosted(bowerbird, cup(bowerbird), "--wait", "0.01", "--quiet") as host:
        host.ended(2)
        promised = commitment_of(seed_of("hosted"))
        assert f"  {promised}" in host.said
        assert not any("TOKEN" in line or host.invitation("ada")["BOWERBIRD_TOKEN"] in line for line in host.said)


def test_who_is_missing_is_said_and_nothing_is_played(bowerbird: Bowerbird) -> None:
    with hosted(bowerbird, cup(bowerbird, GRACE), "--wait", "5") as host:
        host.until_invited()
        with remote(host, "grace") as grace:
            assert host.ended(2) == ""
            assert host.said[-1].startswith("bowerbird: bot 'ada' did not dial in within 5 s; nothing was played; ")
            assert grace.ended()[0] == 0
    assert not (bowerbird.folder / "x.db").exists(), "an empty database is left"


def test_strangers_are_refused_with_a_reason_on_both_sides(bowerbird: Bowerbird, tmp_path: Path) -> None:
    """faults.md rows 12 and 13."""
    other = tmp_path / "other.pem"
    other.write_bytes(self_signed(["127.0.0.1"]).trust)
    with hosted(bowerbird, cup(bowerbird)) as host:
        host.until_invited()
        with remote(host, "ada", BOWERBIRD_TOKEN="guess") as bot:
            check_refused(bot, "this token is not known here", "send the value of BOWERBIRD_TOKEN")
        host.until("was turned away: this token is not known here")
        with remote(host, "ada", BOWERBIRD_CA="") as bot:
            sentence = "this address is for TLS, and the bot spoke plain text"
            check_refused(bot, sentence, "set BOWERBIRD_CA to the PEM file")
        host.until(f"was turned away: {sentence}")
        with remote(host, "ada", BOWERBIRD_CA=str(other)) as bot:
            code, said = bot.ended()
            assert code == 1
            assert "no referee answers at BOWERBIRD_ADDRESS=" in said
            assert "BOWERBIRD_CA must be the PEM file" in said
        host.until("does it have the PEM file of its invitation?")
        with remote(host, "ada") as ada:
            host.until("is complete")
            assert ada.ended()[0] == 0
        host.ended()
    assert not faults(bowerbird)


def test_a_token_in_use_is_refused_and_the_game_goes_on(bowerbird: Bowerbird) -> None:
    """faults.md rows 12 and 13: a stolen token, and one used a second time."""
    with hosted(bowerbird, cup(bowerbird, GRACE)) as host:
        host.until_invited()
        with remote(host, "ada") as ada:
            host.until("bot ada is here")
            with remote(host, "ada") as thief:
                code, said = thief.ended()
                assert code == 1
                assert "bot ada is already connected, and may have only one connection" in said
            host.until("was turned away: bot ada is already connected")
            with remote(host, "grace"):
                host.ended()
                assert ada.ended()[0] == 0
    assert not faults(bowerbird)


@pytest.mark.long
def test_a_bot_that_leaves_before_it_had_a_seat_may_come_again(bowerbird: Bowerbird) -> None:
    with hosted(bowerbird, cup(bowerbird, GRACE, terms=SOON)) as host:
        host.until_invited()
        with remote(host, "ada") as ada:
            host.until("bot ada is here")
            ada.kill()
        host.until("bot ada is gone")
        with remote(host, "ada"), remote(host, "grace"):
            host.ended()
    assert not faults(bowerbird)


@pytest.mark.long
def test_a_connection_that_breaks_again_and_again_costs_no_game(bowerbird: Bowerbird, tmp_path: Path) -> None:
    """The same cards are played in the same way as over a connection that holds: nothing is lost or repeated."""
    whole = Bowerbird(tmp_path / "whole", bowerbird.mark)
    whole.folder.mkdir()
    with hosted(whole, cup(whole, sets=4)) as host:
        host.until_invited()
        with remote(host, "ada") as ada:
            host.ended()
            assert ada.ended()[0] == 0
    with hosted(bowerbird, cup(bowerbird, sets=4)) as host:
        host.until_invited()
        target = host.invitation("ada")["BOWERBIRD_ADDRESS"]
        with network(target, cut_after=12_000) as net, remote(host, "ada", BOWERBIRD_ADDRESS=net.address) as ada:
            host.ended()
            code, said = ada.ended()
            assert code == 0
            assert "the session with the referee continues" in said
            assert net.cuts >= 2
    assert any("bot ada is back" in line for line in host.said)
    assert not faults(bowerbird)
    assert actions(bowerbird.folder / "x.db") == actions(whole.folder / "x.db")


@pytest.fixture
def mortal(tmp_path: Path) -> tuple[str, str]:
    """Return the command of a bot that kills itself without a word when asked for the 10th time."""
    source = tmp_path / "mortal.py"
    source.write_text(
        "import os, signal\n"
        "from bowerbird.harness.sdk import Bot, run\n"
        "class Mortal(Bot):\n"
        "    asked = 0\n"
        "    def act(self, decision):\n"
        "        self.asked += 1\n"
        "        if self.asked == 10:\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return 0\n"
        "run(Mortal())\n"
    )
    return PYTHON, str(source)


def test_a_remote_bot_that_vanishes_loses_and_the_run_goes_on(bowerbird: Bowerbird, mortal: tuple[str, str]) -> None:
    with hosted(
        bowerbird, cup(bowerbird, BRIEF.format(startup="10s"), sets=8, terms=f"max_restarts = 1\n{SOON}")
    ) as host:
        host.until_invited()
        with remote(host, "ada", *mortal):
            host.until("bot ada has lost its connection")
            host.until("bot ada is gone")
            host.ended()
    found = faults(bowerbird)
    assert {bot for bot, _ in found} == {"ada"}
    kinds = {kind for _, kind in found}
    assert kinds & {"DISCONNECTED", "TIMEOUT"}
    assert "NEVER_STARTED" in kinds, "no other bot took its place"


def test_a_bot_that_was_started_again_goes_on_with_a_spare_token(bowerbird: Bowerbird, mortal: tuple[str, str]) -> None:
    with hosted(bowerbird, cup(bowerbird, BRIEF.format(startup="60s"), sets=8, terms=SOON)) as host:
        host.until_invited()
        with remote(host, "ada", *mortal):
            host.until("bot ada is gone")
        with remote(host, "ada") as stale:
            code, said = stale.ended()
            assert code == 1
            assert "this token was used before" in said
        with remote(host, "ada", token=1) as ada:
            host.until("bot ada is here")
            host.ended()
            assert ada.ended()[0] == 0
    assert {kind for _, kind in faults(bowerbird)} <= {"DISCONNECTED", "TIMEOUT"}
    with Store.open(bowerbird.folder / "x.db") as store:
        assert len(list(every_game(store))) == 16


def test_ctrl_c_while_waiting_leaves_nothing(bowerbird: Bowerbird) -> None:
    with hosted(bowerbird, cup(bowerbird, GRACE)) as host:
        host.until_invited()
        with remote(host, "ada") as ada:
            host.until("bot ada is here")
            host.interrupt()
            host.ended(130)
            assert ada.ended()[0] == 0, "it was told Goodbye"
    assert "Interrupted before the first game" in host.said[-2]


def test_an_interrupted_run_goes_on_when_all_are_there_again(bowerbird: Bowerbird) -> None:
    file = cup(bowerbird, sets=60)
    with hosted(bowerbird, file) as host:
        host.until_invited()
        with remote(host, "ada") as ada:
            host.until("of 60 deal sets")
            host.interrupt()
            host.ended(130)
            assert ada.ended()[0] == 0
    again = shlex.split(host.said[-1])
    assert again[1] == "host"
    assert "--resume" in again
    with hosted(bowerbird, file, "--resume") as host:
        host.until_invited()
        with remote(host, "ada"):
            host.until("already stored, not played again")
            host.ended()
    assert not faults(bowerbird)
    with Store.open(bowerbird.folder / "x.db") as store:
        assert len(list(every_game(store))) == 120
    bowerbird.done("verify", "--db", "x.db")


@pytest.mark.toolchain("node", "npm")
def test_a_bot_in_node_dials_in_without_a_change(bowerbird: Bowerbird) -> None:
    with hosted(bowerbird, cup(bowerbird)) as host:
        host.until_invited()
        prepare(load_bot(ROOT / "bots" / "node-random"), lambda name: None)
        with remote(host, "ada", "node", "bots/node-random/main.js") as ada:
            host.ended()
            assert ada.ended()[0] == 0
    assert not faults(bowerbird)


def test_what_is_no_grpc_gets_no_further(bowerbird: Bowerbird) -> None:
    with hosted(bowerbird, cup(bowerbird), "--wait", "20") as host:
        host.until_invited()
        name, _, port = host.invitation("ada")["BOWERBIRD_ADDRESS"].rpartition(":")
        with socket.create_connection((name, int(port))) as stranger:
            stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
            host.until("was turned away: it speaks neither TLS nor gRPC")
        with socket.create_connection((name, int(port))) as stranger:
            host.until("was turned away: no TLS handshake within 2 s")
        host.interrupt()
        host.ended(130)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--listen", "4711"), "--listen: '4711' is not an ADDRESS:PORT such as 0.0.0.0:4711"),
        (("--listen", "192.0.2.1:0"), "--listen: cannot listen on 192.0.2.1:0"),
        (("--public-name", "http://x"), "--public-name: 'http://x' is not a host name or an IP address"),
        (("--certificate", "cup.toml"), "--certificate and --key must be given together"),
        (("--certificate", "cup.toml", "--key", "cup.toml"), "cup.toml: not a certificate in PEM form"),
        (("--certificate", "no.pem", "--key", "no.pem"), "no.pem: No such file or directory"),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(
    bowerbird: Bowerbird, arguments: tuple[str, ...], sentence: str
) -> None:
    cup(bowerbird)
    assert sentence in bowerbird.refused("host", "cup.toml", "--db", "x.db", "--listen", "127.0.0.1:0", *arguments)


def test_an_address_that_is_taken_is_said(bowerbird: Bowerbird) -> None:
    file = cup(bowerbird)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        assert f"cannot listen on {where} (Address already in use)" in bowerbird.refused(
            "host", file, "--listen", where
        )


def test_a_file_belongs_to_one_of_the_two_commands(bowerbird: Bowerbird) -> None:
    file = cup(bowerbird)
    assert "bot 'ada' is remote; play this file with `bowerbird host`" in bowerbird.refused("tournament", file)
    local = bowerbird.folder / "local.toml"
    local.write_text('[[variant]]\nname = "euchre"\n' + '[[bot]]\npath = "bots/local"\n')
    text = local.read_text() + '[[bot]]\npath = "bots/local"\nname = "other"\n'
    local.write_text(text)
    assert "no [[bot]] has 'remote = true'" in bowerbird.refused("host", local, "--listen", "127.0.0.1:0")
