"""The starters of all languages against each other, through real processes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from bowerbird.engine import rules_of, variant_names
from bowerbird.harness.records.store.store import Store
from tests.support.bots.built_bots import ready
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.command.hosted import hosted, network, remote
from tests.support.command.run_records import actions
from tests.support.paths import ROOT
from tests.support.records.every_game import every_game

STARTERS = ("python", "go", "rust", "java", "node", "cpp")
FEW = ("lap-slam", "two-handed-extra-hands", "dirty-clubs", "bid-102", "cornish", "seven-handed", "bid-euchre")
"""Variants that between them have every kind of action."""

LONG_S = 1200
"""Enough for five hundred deals in six languages, on a slow machine that must first build the bots."""

CUT_AFTER = 28_000
"""A connection breaks after this many bytes from the referee: twice or more in the run of each bot.

The handshake and the largest message must fit, or a bot never gets that message. The referee asks at all 14 tables in
one message, if the bot is slow to answer: up to 1,250 bytes each.
"""

AWAY_S = 0.4
"""How long the referee is then out of reach: longer than any starter waits before it dials again."""

SEVEN = """
[tournament]
seed = "hosted"
sets = 2
unit = "deals"
[time]
per_decision = "5s"
startup = "60s"
[[variant]]
name = "seven-handed"
"""


def kinds_of(variants: Sequence[str]) -> set[str]:
    return {action.kind for name in variants for action in rules_of(name).rules({}).every_action()}


def test_the_few_variants_have_every_kind_of_action() -> None:
    assert kinds_of(FEW) == kinds_of(variant_names())


@pytest.mark.parametrize(
    "variants",
    [
        pytest.param(FEW, id="few", marks=pytest.mark.long),
        pytest.param(variant_names(), id="all", marks=pytest.mark.long),
    ],
)
@pytest.mark.toolchain("go", "cargo", "mvn", "java", "node", "npm", "cmake", "g++", "protoc", "grpc_cpp_plugin")
def test_all_starters_play_against_each_other_without_a_fault(bowerbird: Bowerbird, variants: Sequence[str]) -> None:
    """protocol.md, Decisions. Uses the builds of tests/bots/test_starters.py, or builds the bots here."""
    lines = ["[tournament]", 'name = "languages"', 'unit = "deals"', "sets = 1", 'packs = "own"', 'format = "gauntlet"']
    lines += ["[time]", 'per_decision = "5s"', 'startup = "60s"']
    lines += [f'[[variant]]\nname = "{variant}"' for variant in variants]
    lines += [f'[[bot]]\npath = "{ROOT / "bots" / "starters" / language}"' for language in STARTERS]
    (bowerbird.folder / "languages.toml").write_text("\n".join(lines), encoding="utf-8")
    finished = bowerbird.run(COMMAND, "tournament", "languages.toml", "--quiet", "--json", timeout_s=LONG_S)
    assert finished.returncode == 0, finished.stderr
    document = json.loads(finished.stdout)
    standings = document["overall"]["standings"]
    assert {line["bot"] for line in standings} == set(STARTERS)
    assert all(line["games"] and not any(line["faults"].values()) for line in standings), standings
    assert set(document["variants"]) == set(variants)


@pytest.mark.toolchain("go", "cargo", "mvn", "java", "node", "npm", "cmake", "g++", "protoc", "grpc_cpp_plugin")
def test_all_starters_sit_at_one_table_over_tls_and_lose_nothing_where_connections_break(
    bowerbird: Bowerbird, tmp_path: Path
) -> None:
    """host-remote-bots.md, "For authors": the programs as they are, with nothing but their invitations.

    seat.proto, "When the connection breaks": the same games, decision by decision, as over connections that hold.
    """
    whole = Bowerbird(tmp_path / "whole", bowerbird.mark)
    whole.folder.mkdir()
    play_hosted(whole, None)
    said = play_hosted(bowerbird, CUT_AFTER)
    assert all("the session with the referee continues" in words for words in said.values()), said
    assert actions(bowerbird.folder / "x.db") == actions(whole.folder / "x.db")


def play_hosted(bowerbird: Bowerbird, cut_after: int | None) -> dict[str, str]:
    """Host a tournament of all starters, over connections cut after `cut_after` bytes; return what each printed."""
    entries = "".join(f'[[bot]]\nremote = true\nname = "{language}"\n' for language in STARTERS)
    file = bowerbird.tournament(SEVEN + entries, bowerbird.bot("local", "honest"))
    bots = {language: ready(ROOT / "bots" / "starters" / language) for language in STARTERS}
    with hosted(bowerbird, file) as host, ExitStack() as started:
        host.until_invited()
        remotes = {}
        for language, bot in bots.items():
            address = host.invitation(language)["BOWERBIRD_ADDRESS"]
            if cut_after is not None:
                address = started.enter_context(network(address, cut_after, AWAY_S)).address
            made = remote(host, language, *bot.command, cwd=bot.cwd, BOWERBIRD_ADDRESS=address)
            remotes[language] = started.enter_context(made)
        host.ended()
        ends = {language: bot.ended() for language, bot in remotes.items()}
    assert not {language: end for language, end in ends.items() if end[0] != 0}
    with Store.open(bowerbird.folder / "x.db") as store:
        assert not store.run(None).faults()
        seated = [{seat.bot for seat in store.record(game.id).seats} for game in every_game(store)]
    assert seated == [{*STARTERS, "local"}] * 14
    return {language: words for language, (_, words) in ends.items()}
