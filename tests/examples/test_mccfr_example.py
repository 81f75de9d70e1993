"""The example that OpenSpiel's MCCFR teaches: it learns, is saved, goes on, and plays in a match."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.command.bowerbird_command import Bowerbird
from tests.support.paths import ROOT

FOLDER = ROOT / "examples" / "mccfr"


@pytest.fixture
def folder(bowerbird: Bowerbird) -> Path:
    """Return a copy of the example."""
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed; `make oracle` adds it")
    copied = bowerbird.folder / "mccfr"
    shutil.copytree(FOLDER, copied, ignore=shutil.ignore_patterns("solver.pkl", "__pycache__"))
    return copied


def learnt(bowerbird: Bowerbird, folder: Path) -> int:
    """Learn for an iteration; return the number of information states met."""
    done = bowerbird.run(sys.executable, folder / "learn.py", "--iterations", "1")
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[2])


@pytest.mark.usefixtures("simulations")
def test_a_saved_solver_goes_on_and_plays_over_the_protocol(bowerbird: Bowerbird, folder: Path) -> None:
    first = learnt(bowerbird, folder)
    assert learnt(bowerbird, folder) > first > 0, "the second goes on where the first ended"
    match = bowerbird.json("match", folder, "random", "--variant", "two-handed", "--sets", "4", "--seed", "t")
    line = next(line for line in match["overall"]["standings"] if line["bot"] == "mccfr")
    assert not any(line["faults"].values()), line


def test_equal_keys_have_as_many_legal_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The law on which the table stands, over random games: what one state learnt can be played in the other."""
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed; `make oracle` adds it")
    monkeypatch.syspath_prepend(str(FOLDER))
    import random

    from solver import key_of  # type: ignore[import-not-found]  # of the example

    from bowerbird.envs.openspiel import load_game

    game, rng = load_game("two-handed"), random.Random(1)
    actions: dict[Any, int] = {}
    for _ in range(200):
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            if not state.is_chance_node():
                assert actions.setdefault(key_of(state.information_state_string()), len(legal)) == len(legal)
            state.apply_action(rng.choice(legal))
    assert len(actions) > 200
