"""The interface of a part of `make bench`, and the `Place` that every part gets."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT
from benchmarks.system.figures import Figure, Round
from bowerbird.engine import variant_names

DEADLINE_S = 300


class LeftOutError(Exception):
    """A part cannot be measured on this machine; `args[0]` is a message that says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place and length of a measurement: an empty `folder` on a real disk, and `seconds` for each rate."""

    folder: Path
    seconds: float
    variant: str


class Part:
    """A measurement made once in each round."""

    figures: tuple[Figure, ...]

    @property
    def letter(self) -> str:
        """Its letter, from "a" to "i" (`all_parts`)."""
        return self.figures[0].part

    def prepare(self, place: Place) -> None:
        """Prepare once, before the first round. Raises LeftOutError if this machine cannot measure the part."""

    def measure(self, place: Place) -> Round:
        """Measure once. Return the values by the key of their figure."""
        raise NotImplementedError


def variant_option(parser: argparse.ArgumentParser) -> None:
    """Add the option `--variant`, which every benchmark has."""
    names = variant_names()
    parser.add_argument("--variant", default=names[0], choices=names, metavar="NAME", help=f"played ({names[0]})")


def run_module(module: str, *arguments: str, **environment: str) -> dict[str, Any]:
    """Run a module in a separate process, with `environment` added. Return the JSON that it prints."""
    command = [sys.executable, "-m", module, *arguments]
    own = {**os.environ, **environment}
    done = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
