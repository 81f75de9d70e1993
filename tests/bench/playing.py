"""Parts (a) to (e): how fast decisions are made, from bare gRPC up to several referees."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, replace

import harness
from bench.figures import Figure, Round
from bench.machine import ROOT
from bench.part import LeftOutError, Part, Place, run_module
from bench.play import Match
from harness.tournament.bot_file import load_bot
from harness.tournament.build import prepare
from harness.tournament.errors import TournamentError

PYTHON_BOT = ROOT / "bots" / "random"
NETWORK_BOT = ROOT / "bots" / "examples" / "network"
GO_BOT = ROOT / "bots" / "starters" / "go"
GO_PROGRAMS = ("go", "protoc")

AS_IT_COMES = {"GRPC_EXPERIMENTS": ""}
AS_OURS = {"GRPC_EXPERIMENTS": harness.GRPC_WAITS}


class PingPong(Part):
    """(a): gRPC with nothing above it (`pingpong`), which waits as it does in the referee or as it does by itself."""

    def __init__(self, mode: str, key: str, label: str, over: str = "", *, environment: Mapping[str, str]) -> None:
        self.mode = mode
        self.environment = environment
        self.figures = (Figure(f"grpc.{key}", "a", label, "/s", over),)

    def measure(self, place: Place) -> Round:
        found = run_module("bench.pingpong", self.mode, str(place.seconds), place.variant, **self.environment)
        return {self.figures[0].key: found["rate"]}


class Playing(Part):
    """A part that plays `match`, whose bots are built first."""

    match: Match

    def prepare(self, place: Place) -> None:
        ready(self.match)


class Play(Playing):
    """(b) to (d): a tournament between two bots of one kind (`play`)."""

    def __init__(self, letter: str, key: str, label: str, match: Match, *, over: str = "") -> None:
        self.match = match
        self.key = key
        self.figures = (
            Figure(key, letter, label, "decisions/s", over),
            Figure(f"{key}.actions", letter, "actions in stored games", "/s", of=key),
            Figure(f"{key}.batch", letter, "decisions a message", "", of=key),
            Figure(f"{key}.own", letter, "referee's CPU", "µs a decision", of=key),
            Figure(f"{key}.bots", letter, "bots' CPU", "µs a decision", of=key),
        )

    def measure(self, place: Place) -> Round:
        found = rates(self.match, place)
        return {
            self.key: found["decisions"],
            f"{self.key}.actions": found["actions"],
            f"{self.key}.batch": found["decisions"] / found["messages"],
            f"{self.key}.own": found["own_cpu"],
            f"{self.key}.bots": found["other_cpu"],
        }


class AllCores(Playing):
    """(c) with a referee on each core: what the machine does. What is played as in `Play`."""

    def __init__(self, key: str, label: str, match: Match, *, over: str) -> None:
        self.match = match
        self.key = key
        self.figures = (
            Figure(key, "c", label, "decisions/s", over),
            Figure(f"{key}.actions", "c", "actions in stored games", "/s", of=key),
        )

    def measure(self, place: Place) -> Round:
        found = rates(self.match, place)
        return {self.key: found["decisions"], f"{self.key}.actions": found["actions"]}


class Jobs(Playing):
    """(e): one referee, or as many as workers. Stored actions are counted, since games are short and end all the time.

    Both are measured in each round right after each other, and first the one, then the other comes first.
    """

    def __init__(self, match: Match, *, jobs: int) -> None:
        self.match = match
        self.jobs = jobs
        self.figures = (
            Figure("jobs.1", "e", "--jobs 1, compiled bot, games of 4 hands", "actions/s"),
            Figure(f"jobs.{jobs}", "e", f"--jobs {jobs}", "actions/s", "jobs.1"),
        )
        self._turn = 0

    def measure(self, place: Place) -> Round:
        self._turn += 1
        order = (1, self.jobs) if self._turn % 2 else (self.jobs, 1)
        return {f"jobs.{jobs}": rates(replace(self.match, jobs=jobs), place)["actions"] for jobs in order}


def rates(match: Match, place: Place) -> dict[str, float]:
    """Play in a process of its own."""
    asked = replace(match, seconds=place.seconds, variant=place.variant)
    return run_module("bench.play", json.dumps(asdict(asked)), str(place.folder))


def ready(match: Match) -> None:
    """Build the bots of a match. Raises LeftOutError where that cannot be done here."""
    if match.isolation == "sandbox" and shutil.which("bwrap") is None:
        raise LeftOutError("bubblewrap is not installed, so there is no sandbox here")
    for path in match.bots:
        bot = load_bot(ROOT / path)
        lacking = [program for program in GO_PROGRAMS if bot.build and shutil.which(program) is None]
        if lacking:
            raise LeftOutError(f"there is no compiled bot: {' and '.join(lacking)} not on the PATH")
        try:
            prepare(bot, lambda name: None)
        except TournamentError as error:
            raise LeftOutError(f"there is no compiled bot: {error}") from error


def pair(path: object) -> tuple[str, str]:
    """A bot against itself."""
    return str(path), str(path)
