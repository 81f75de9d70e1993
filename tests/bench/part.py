"""What a part of the benchmarks is, and what all of them are given."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import Figure, Round
from bench.machine import ROOT
from engine import variant_names

DEADLINE_S = 300


class LeftOutError(Exception):
    """A part cannot be measured here; one sentence says why."""


@dataclass(frozen=True, slots=True)
class Place:
    """`folder` is an empty one on a real disk; `seconds` is how long a rate is measured in each round."""

    folder: Path
    seconds: float
    variant: str


class Part:
    """Something to be measured, once in each round."""

    figures: tuple[Figure, ...]

    @property
    def letter(self) -> str:
        """Its letter in issue 8."""
        return self.figures[0].part

    def prepare(self, place: Place) -> None:
        """What is done once, before the first round. Raises LeftOutError."""

    def measure(self, place: Place) -> Round:
        """One round."""
        raise NotImplementedError


def variant_option(parser: argparse.ArgumentParser) -> None:
    """`--variant`, which every benchmark has."""
    names = variant_names()
    parser.add_argument("--variant", default=names[0], choices=names, metavar="NAME", help=f"played ({names[0]})")


def run_module(module: str, *arguments: str, **environment: str) -> dict[str, Any]:
    """Run a module of the benchmarks in a process of its own, with more in its environment; the JSON that it prints."""
    command = [sys.executable, "-m", module, *arguments]
    own = {**os.environ, **environment}
    done = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
