"""Hosted tournaments over a network that breaks cost nobody a game (seat.proto, "When the connection breaks")."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from bowerbird.engine import variant_names
from bowerbird.harness.records.store.store import Store
from tests.support.bots.built_bots import ready
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.flaky_network import EACH_KIND, FOR_EVER, FlakyNetwork, flaky_network
from tests.support.command.hosted import PYTHON, hosted, remote
from tests.support.command.run_records import untimed_games
from tests.support.paths import ROOT

STARTERS = ("python", "go", "rust", "java", "node", "cpp")

CUP = """
[tournament]
seed = "bad network"
sets = {sets}
unit = "deals"
tables = 1
[time]
per_decision = "60s"
startup = "120s"
"""
"""The clock leaves enough time to notice that a connection is half-open: 15 s (seat.proto, Keepalive)."""

LONG_S = 1800
"""Enough for every variant over a network on which a bot waits 15 s again and again."""

SLOW_BOT = """
import time

from bowerbird.harness.sdk import Bot, run


class Slow(Bot):
    def act(self, decision):
        time.sleep({pause_s})
        return decision.table.rng.randrange(decision.choices)


run(Slow())
"""


def slow_bot(folder: Path, pause_s: float) -> tuple[str, ...]:
    """Return the command of a bot that plays at random and takes `pause_s` for each decision, so that a run lasts."""
    source = folder / "slow.py"
    source.write_text(SLOW_BOT.format(pause_s=pause_s))
    return PYTHON, str(source)


def play(
    command: Bowerbird,
    bots: dict[str, tuple[tuple[str, ...], Path]],
    *,
    variants: tuple[str, ...],
    sets: int,
    lasts_s: tuple[float, float] | None = None,
    kinds: Sequence[str] = EACH_KIND,
    for_ever: bool = False,
) -> list[FlakyNetwork]:
    """Host a tournament of these remote bots and one local bot. Return the networks; without `lasts_s` there are
    none."""
    text = CUP.format(sets=sets) + "".join(f'[[variant]]\nname = "{name}"\n' for name in variants)
    text += "".join(f'[[bot]]\nremote = true\nname = "{name}"\n' for name in bots)
    file = command.tournament(text, command.bot("local", "honest"))
    networks: list[FlakyNetwork] = []
    with hosted(command, file) as host, ExitStack() as stack:
        host.until_invited()
        started = {}
        for number, (name, (program, cwd)) in enumerate(bots.items()):
            address = host.invitation(name)["BOWERBIRD_ADDRESS"]
            if lasts_s is not None:
                networks.append(
                    stack.enter_context(
                        flaky_network(address, *lasts_s, itertools.cycle(kinds) if for_ever else kinds, number)
                    )
                )
                address = networks[-1].address
            started[name] = stack.enter_context(remote(host, name, *program, cwd=cwd, BOWERBIRD_ADDRESS=address))
        host.ended(timeout_s=LONG_S)
        ends = {name: bot.ended() for name, bot in started.items()}
    assert not {name: end for name, end in ends.items() if end[0] != 0}
    with Store.open(command.folder / "x.db") as store:
        assert not store.run(None).faults()
    return networks


@pytest.fixture
def whole(bowerbird: Bowerbird, tmp_path: Path) -> Bowerbird:
    """Return the command in a folder of its own, for the same tournament over connections that hold."""
    command = Bowerbird(tmp_path / "whole", bowerbird.mark)
    command.folder.mkdir()
    return command


def test_breaks_at_every_moment_cost_a_python_bot_nothing(
    bowerbird: Bowerbird, whole: Bowerbird, tmp_path: Path
) -> None:
    """Connections that live for an instant break before Welcome, before Ready, in a batch, around Goodbye."""
    bots = {"ada": (slow_bot(tmp_path, 0.03), ROOT)}
    variants = ("euchre", "buck-wager", "cornish")
    play(whole, bots, variants=variants, sets=3)
    [network] = play(bowerbird, bots, variants=variants, sets=3, lasts_s=(0.05, 1.5))
    assert network.breaks == Counter(EACH_KIND)
    assert untimed_games(bowerbird.folder / "x.db") == untimed_games(whole.folder / "x.db")


@pytest.mark.long
@pytest.mark.toolchain("go", "cargo", "mvn", "java", "node", "npm", "cmake", "g++", "protoc", "grpc_cpp_plugin")
def test_breaks_cost_no_starter_anything(bowerbird: Bowerbird, whole: Bowerbird) -> None:
    """All starters at one table, each over a flaky network of its own."""
    bots = {}
    for language in STARTERS:
        bot = ready(ROOT / "bots" / "starters" / language)
        bots[language] = (bot.command, bot.cwd)
    play(whole, bots, variants=("seven-handed",), sets=2)
    networks = play(bowerbird, bots, variants=("seven-handed",), sets=2, lasts_s=(0.5, 4.0))
    assert all(network.breaks for network in networks), [network.breaks for network in networks]
    assert untimed_games(bowerbird.folder / "x.db") == untimed_games(whole.folder / "x.db")


@pytest.mark.long
def test_a_tournament_of_all_variants_is_the_same_over_a_network_that_breaks_every_few_seconds(
    bowerbird: Bowerbird, whole: Bowerbird, tmp_path: Path
) -> None:
    """Connections break 5 to 20 s after they were opened, half of them half-open."""
    bots = {"ada": (slow_bot(tmp_path, 0.03), ROOT), "grace": (slow_bot(tmp_path, 0.03), ROOT)}
    play(whole, bots, variants=variant_names(), sets=2)
    networks = play(
        bowerbird, bots, variants=variant_names(), sets=2, lasts_s=(5.0, 20.0), kinds=FOR_EVER, for_ever=True
    )
    for network in networks:
        assert network.breaks.total() >= 8, network.breaks
    assert untimed_games(bowerbird.folder / "x.db") == untimed_games(whole.folder / "x.db")
