"""Plies per second of chess referees written in C or C++, measured in the same rounds for comparison."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from benchmarks.machine import ROOT
from benchmarks.system.figures import Figure, Round
from benchmarks.system.part import DEADLINE_S, LeftOutError, Part, Place

PROGRAM = ROOT.parent / "shared" / "peers" / "plies"
"""`plies FOLDER GAMES CONCURRENCY` builds the peers in FOLDER and prints lines such as `fastchess 3700`."""

BUILT = ROOT / "build" / "peers"
NAMES = ("fastchess", "c-chess-cli")
GAMES = {1: 40, 2: 80}
"""Games of 200 plies, by how many are played at once."""


class Peers(Part):
    """(c): two engines that do not think, over pipes, without hidden cards or verification."""

    figures = tuple(
        Figure(
            f"peer.{name}.{at_once}", "c", f"{name}, {at_once} {'game' if at_once == 1 else 'games'} at once", "plies/s"
        )
        for name in NAMES
        for at_once in GAMES
    )

    def __init__(self, program: Path = PROGRAM, built: Path = BUILT) -> None:
        """Measure with `program`, which builds what it needs in `built`."""
        self.program = program
        self.built = built

    def prepare(self, place: Place) -> None:
        """Build both; a first build takes minutes."""
        if not self.program.is_file():
            raise LeftOutError("the program that builds and measures the peers is not here")
        try:
            self._plies(2, 1)
        except RuntimeError as error:
            raise LeftOutError(str(error)) from error

    def measure(self, place: Place) -> Round:
        found = {at_once: self._plies(games, at_once) for at_once, games in GAMES.items()}
        return {f"peer.{name}.{at_once}": plies[name] for at_once, plies in found.items() for name in NAMES}

    def _plies(self, games: int, at_once: int) -> dict[str, float]:
        """Return the plies per second of each peer."""
        self.built.mkdir(parents=True, exist_ok=True)
        command = [os.fspath(self.program), os.fspath(self.built), str(games), str(at_once)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=2 * DEADLINE_S, check=True)
            found = dict(line.split() for line in done.stdout.splitlines())
            return {name: float(found[name]) for name in NAMES}
        except (OSError, subprocess.SubprocessError, KeyError, ValueError) as error:
            raise RuntimeError(f"the peers could not be measured: {error}") from error
