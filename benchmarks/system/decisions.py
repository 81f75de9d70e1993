"""Parts (a) to (e): how fast decisions are made, from bare gRPC up to several referees."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, replace

from benchmarks.machine import ROOT
from benchmarks.system.figures import Figure, Round
from benchmarks.system.part import LeftOutError, Part, Place, run_module
from benchmarks.system.tournament_process import Match
from bowerbird.harness.process_settings import GRPC_EXPERIMENTS, GRPC_VARIABLE
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.errors import TournamentError
from bowerbird.harness.tournament.preparation.build import prepare

PYTHON_BOT = ROOT / "bots" / "random"
NETWORK_BOT = ROOT / "examples" / "network"
GO_BOT = ROOT / "bots" / "starters" / "go"
GO_PROGRAMS = ("go", "protoc")

AS_IT_COMES = {"GRPC_EXPERIMENTS": ""}
AS_OURS = {GRPC_VARIABLE: GRPC_EXPERIMENTS}


class PingPong(Part):
    """(a): only gRPC (`grpc_process`), waiting like the referee or in its default way."""

    def __init__(self, mode: str, key: str, label: str, over: str = "", *, environment: Mapping[str, str]) -> None:
        self.mode = mode
        self.environment = environment
        self.figures = (Figure(f"grpc.{key}", "a", label, "/s", over),)

    def measure(self, place: Place) -> Round:
        asked = (self.mode, str(place.seconds), place.variant)
        found = run_module("benchmarks.system.grpc_process", *asked, **self.environment)
        return {self.figures[0].key: found["rate"]}


class Playing(Part):
    """A part that builds the bots of a match and plays it."""

    match: Match

    def prepare(self, place: Place) -> None:
        ready(self.match)


class Play(Playing):
    """(b) to (d): a tournament between two bots of one kind (`tournament_process`)."""

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
    """(c) with a referee on each core: the rate of the whole machine. It plays the same match as `Play`."""

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
    """(e): one referee, or one in each of `jobs` workers. It counts stored actions, because games are short.

    Each round measures both, one after the other, in alternating order.
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


class Watched(Playing):
    """(b) and (c) in three ways: without spectators, with spectators, and without spectators beside a busy process.

    The busy process uses as much processor time as the spectators did in the same round. The ratio of watched to busy
    is therefore their cost for the referee, and the ratio of busy to alone is their cost for the machine. Bots run in a
    sandbox, because other tables are not shown.
    """

    def __init__(self, part: Play, watchers: int) -> None:
        self.match = replace(part.match, isolation="sandbox", watch=True)
        self.watchers = watchers
        self.key = part.key
        label = part.figures[0].label
        alone, busy, watched = f"{self.key}.alone", f"{self.key}.busy", f"{self.key}.watched"
        self.figures = (
            Figure(alone, part.letter, f"{label}, sandbox, watched by nobody", "decisions/s"),
            Figure(busy, part.letter, "the same beside a busy process", "decisions/s", alone),
            Figure(watched, part.letter, f"the same, {watchers} spectators", "decisions/s", busy),
            Figure(f"{alone}.own", part.letter, "referee's CPU, watched by nobody", "µs a decision"),
            Figure(f"{busy}.own", part.letter, "the same beside a busy process", "µs a decision", f"{alone}.own"),
            Figure(f"{watched}.own", part.letter, "the same, watched", "µs a decision", f"{busy}.own"),
            Figure(f"{watched}.watching", part.letter, "processors that the spectators use", ""),
        )
        self._turn = 0

    def measure(self, place: Place) -> Round:
        self._turn += 1
        alone = replace(self.match, watchers=0)
        found = {"watched": rates(replace(self.match, watchers=self.watchers), place)}
        using = found["watched"]["watching"]
        others = {"alone": alone, "busy": replace(alone, busy=using)}
        for name in ("alone", "busy") if self._turn % 2 else ("busy", "alone"):
            found[name] = rates(others[name], place)
        return {
            **{f"{self.key}.{name}": each["decisions"] for name, each in found.items()},
            **{f"{self.key}.{name}.own": each["own_cpu"] for name, each in found.items()},
            f"{self.key}.watched.watching": using,
        }


def rates(match: Match, place: Place) -> dict[str, float]:
    """Play a match in a separate process. Return its rates."""
    asked = replace(match, seconds=place.seconds, variant=place.variant)
    return run_module("benchmarks.system.tournament_process", json.dumps(asdict(asked)), str(place.folder))


def ready(match: Match) -> None:
    """Build the bots of a match. Raises LeftOutError if this machine cannot."""
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
    """Return `path` twice, for a bot that plays against itself."""
    return str(path), str(path)
