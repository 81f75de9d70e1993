"""All parts in the order shown, and the speed that each should reach."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.system.decisions import (
    AS_IT_COMES,
    AS_OURS,
    GO_BOT,
    NETWORK_BOT,
    PYTHON_BOT,
    AllCores,
    Jobs,
    PingPong,
    Play,
    Watched,
    pair,
)
from benchmarks.system.figures import Aim, Figure
from benchmarks.system.part import Part
from benchmarks.system.peers import Peers
from benchmarks.system.startup import Help, Start
from benchmarks.system.storage import Checking, Engine, Storing
from benchmarks.system.tournament_process import Match


def all_parts() -> list[Part]:
    """Return every part."""
    python, compiled = Match(pair(PYTHON_BOT)), Match(pair(GO_BOT))
    own_state = replace(compiled, arguments=("events_only",))
    network = Match(pair(NETWORK_BOT))
    return [
        PingPong("bare", "bare", "bare gRPC as it comes, one client", environment=AS_IT_COMES),
        PingPong("bare", "own", "bare gRPC that waits as ours, one client", "grpc.bare", environment=AS_OURS),
        PingPong("two", "two", "the same, two clients in turn", "grpc.bare", environment=AS_OURS),
        PingPong("bridge", "bridge", "our server and trio, no referee, two clients", "grpc.bare", environment=AS_OURS),
        Play("b", "one", "referee, one table, Python bot (SDK, random)", replace(python, tables=1), over="grpc.bare"),
        Play("c", "python", "64 tables, Python bot (SDK, random)", python),
        Play("c", "compiled", "64 tables, compiled bot (Go starter)", compiled),
        Play("c", "compiled.events", "64 tables, compiled bot that keeps its own state", own_state, over="compiled"),
        AllCores(
            "python.jobs", "64 tables for each of two referees, Python bot", replace(python, jobs=2), over="python"
        ),
        AllCores(
            "compiled.jobs",
            "64 tables for each of two referees, compiled bot",
            replace(compiled, jobs=2),
            over="compiled",
        ),
        Peers(),
        Play("c", "python.slots", "64 tables, Python bot, slots = 1", replace(python, slots=1), over="python"),
        Play("c", "compiled.slots", "64 tables, compiled bot, slots = 1", replace(compiled, slots=1), over="compiled"),
        Play(
            "c",
            "compiled.seat",
            "64 tables, compiled bot, a process for each seat",
            replace(compiled, instances="seat"),
            over="compiled",
        ),
        Play("c", "network", "64 tables, Python bot with a network (numpy)", network, over="python"),
        Play(
            "d",
            "python.sandbox",
            "64 tables, Python bot, sandbox",
            replace(python, isolation="sandbox"),
            over="python",
        ),
        Play(
            "d",
            "compiled.sandbox",
            "64 tables, compiled bot, sandbox",
            replace(compiled, isolation="sandbox"),
            over="compiled",
        ),
        Jobs(replace(compiled, max_hands=4), jobs=2),
        Engine(),
        Storing(),
        Checking(),
        Help(),
        Start(),
    ]


def watched_parts(watchers: int) -> list[Part]:
    """Return the parts that spectators can watch: one table, and 64 tables with each kind of bot."""
    watched = ("one", "python", "compiled")
    return [Watched(part, watchers) for part in all_parts() if isinstance(part, Play) and part.key in watched]


AIMS = (
    Aim("(b) one table, of bare gRPC that waits as ours", "one", 0.75, over="grpc.own"),
    Aim("(c) 64 tables, compiled bot, decisions/s", "compiled", 45_000),
    Aim("(c) 64 tables, compiled bot, of c-chess-cli's one game", "compiled", 1.0, over="peer.c-chess-cli.1"),
    Aim("(c) 64 tables, compiled bot, of fastchess's one game", "compiled", 1.0, over="peer.fastchess.1"),
    Aim("(c) two referees, compiled bot, of c-chess-cli's two games", "compiled.jobs", 1.0, over="peer.c-chess-cli.2"),
    Aim("(c) two referees, compiled bot, of fastchess's two games", "compiled.jobs", 1.0, over="peer.fastchess.2"),
    Aim("(c) 64 tables, compiled bot, referee's µs a decision", "compiled.own", 16, least=False),
    Aim("(e) --jobs 2, of --jobs 1", "jobs.2", 1.6, over="jobs.1"),
    Aim("(h) verify 10,000 games with --jobs 2, s", "verify.2", 4, least=False),
    Aim("(i) bowerbird --help, of bare click", "help", 1.1, over="help.click", least=False),
    Aim("(i) start of a match of 4 bots, own seconds", "start", 0.2, least=False),
)


def figures_of(parts: list[Part]) -> list[Figure]:
    """Return the figures of the parts, in order."""
    return [figure for part in parts for figure in part.figures]
