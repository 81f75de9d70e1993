"""Describes a worker: its versions, its machine, and its speed. The run describes itself in the same way."""

from __future__ import annotations

import hashlib
import os
import platform
import random
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bowerbird.engine import new_game
from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.resources import PACKAGE, bundled_bots
from bowerbird.harness.tournament.playing.machines import cpu_model

TOOLS = ("go", "cargo", "javac", "node", "npm", "cmake", "g++")
"""The programs that build bots, as searched for on the PATH."""

ROUNDS, GAMES = 8, 10
"""The number of calibration rounds, and of euchre games in each."""


@dataclass(frozen=True, slots=True)
class WorkerFacts:
    """A worker's description of itself.

    machine: identifies the machine, or a container on it. It is the same for all workers of a machine.
    host: its name.
    python: such as "3.11.7".
    bowerbird: the version of the package.
    code: a hash of our packages' source files.
    cpu: the model of the processor.
    cores: those that the worker may use.
    speed: decisions per second of the rules engine, in games of euchre between random players; 0 if not measured.
    tools: the members of `TOOLS` that it has.
    """

    machine: str
    host: str
    python: str
    bowerbird: str
    code: str
    cpu: str
    cores: int
    speed: float = 0.0
    tools: tuple[str, ...] = ()


def describe(*, calibrated: bool) -> WorkerFacts:
    """Return the facts about this process. Measures the speed only if `calibrated`, which takes half a second."""
    return WorkerFacts(
        machine=_machine(),
        host=platform.node(),
        python=platform.python_version(),
        bowerbird=version("bowerbird"),
        code=_code_digest(),
        cpu=cpu_model(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        speed=_speed() if calibrated else 0.0,
        tools=tuple(tool for tool in TOOLS if shutil.which(tool) is not None),
    )


def difference(run: WorkerFacts, worker: WorkerFacts) -> str:
    """Return why a worker's versions keep it from playing for a run, and what to do; "" if it can play."""
    if _minor(worker.python) != _minor(run.python):
        return f"it runs Python {worker.python}, the run {run.python}: use Python {_minor(run.python)} there"
    if worker.bowerbird != run.bowerbird:
        wanted = f"pip install 'bowerbird[cluster]=={run.bowerbird}'"
        return f"it has Bowerbird {worker.bowerbird}, the run {run.bowerbird}: {wanted} there"
    if worker.code != run.code:
        return f"its Bowerbird {worker.bowerbird} has other source files than the run's: install the same ones there"
    return ""


def _minor(python: str) -> str:
    return ".".join(python.split(".")[:2])


def _machine() -> str:
    """Return a string that is the same for all processes of a machine or a container."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        boot = ""
    return f"{platform.node()} {boot}"


def _code_digest() -> str:
    """Return a hash of all our source files. An installed wheel and its checkout have the same hash."""
    digest = hashlib.sha256()
    for name, path in sorted(_sources()):
        digest.update(utf8(f"{name}\0"))
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _sources() -> Iterator[tuple[str, Path]]:
    """Yield the Python files of our package with their names in it. Of the bots, only the bundled ones are included."""
    yield from ((path.name, path) for path in PACKAGE.glob("*.py"))
    folders = {folder.name: folder for folder in PACKAGE.iterdir() if folder.is_dir() and folder.name != "bots"}
    folders |= {f"bots/{name}": path.parent for name, path in bundled_bots().items()}
    for name, folder in folders.items():
        yield from ((f"{name}/{path.relative_to(folder).as_posix()}", path) for path in folder.rglob("*.py"))


def _speed() -> float:
    """Return the games per second of the best round, since the others were disturbed."""
    return round(max(_one_round() for _ in range(ROUNDS)), 1)


def _one_round() -> float:
    draw = random.Random(0).random
    decisions, begun = 0, time.thread_time()
    for number in range(GAMES):
        game = new_game("euchre", first_dealer=0, seed=bytes(32), entry="calibration", set_number=number)
        while game.actor is not None:
            legal = game.legal_actions()
            game.apply(legal[int(draw() * len(legal))])
            decisions += 1
    return decisions / (time.thread_time() - begun)
