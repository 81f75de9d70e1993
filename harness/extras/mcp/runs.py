"""What an agent plays (practice games one by one, one run, or a run elsewhere) and the process that plays it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import trio

from bowerbird.engine import resolve_options, rules_of
from bowerbird.harness.extras.mcp.lines import Door
from bowerbird.harness.extras.mcp.run_process import AGENT_MANIFEST, SECRET, SOCKET, plan_of
from bowerbird.harness.extras.play.run_end import end_in_order, unexpected_end
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.text.bounded_json import load_json
from bowerbird.harness.records.values.game_record import SHARED
from bowerbird.harness.records.values.run import LONGEST_NAME
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.config.bot_paths import find_bot
from bowerbird.harness.tournament.lineups import FIXED

LONGEST_SENTENCE = 300
LONGEST_OUTPUT = 1 << 16

RUN = [sys.executable, "-m", f"{__package__}.run_process"]


@dataclass(frozen=True, slots=True)
class Order:
    """A process to start. `stdin` is its first input, and `environment` is added to its environment."""

    command: Sequence[str]
    cwd: Path | None = None
    stdin: Mapping[str, Any] = field(default_factory=dict, repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)


class Source(Protocol):
    """A source of games or runs. is_eager: whether to begin before the agent asks, since others wait."""

    is_eager: bool

    def has_more(self) -> bool:
        """Return whether `next` has something."""

    def next(self, door: Door) -> Order:
        """Return the next process; its bots use `door`."""


class Practice:
    """Games against bundled bots, each recorded as a run.

    By default a run is one game at fixed seats, and the agent has one of them. Such a game is unrated, since no other
    bot gets the agent's cards. A rated run is a deal set. All seats of the agent's side share one line (`seating`).
    """

    is_eager = False

    def __init__(
        self,
        variants: Mapping[str, Mapping[str, str]],
        opponents: Sequence[str],
        *,
        db: Path,
        agent: str = "agent",
        games: int = 0,
        seat: int = 0,
        seed: str = "",
        is_rated: bool = False,
        isolation: str = "",
        think_ms: int = 1000,
        bank_ms: int = 3_600_000,
    ) -> None:
        """Check the tables. Raises TournamentError or EngineError.

        variants: the options of each variant, by name. They are played in turn.
        opponents: the bots at the other seats, in turn.
        agent: the agent's name in the records.
        games: how many runs are played; 0 for no limit.
        seat: the agent's seat in the first game, which moves on by one in each.
        think_ms, bank_ms: the bots' time for a decision, and the agent's extra time for a whole game.
        """
        self._variants = [*variants.items()]
        self._opponents = opponents
        self._db = db
        self._agent = agent
        self._games = games
        self._seat = seat
        self._seed = seed
        self._is_rated = is_rated
        self._isolation = isolation
        self._time = {"per_decision": f"{think_ms}ms", "bank": f"{bank_ms}ms"}
        self._begun = 0
        for number in range(len(self._variants)):
            plan_of(self.file(number))

    def file(self, number: int) -> dict[str, Any]:
        """Return the tournament of run `number`, from 0, as the tables of its file."""
        variant, options = self._variants[number % len(self._variants)]
        gauntlet = {"format": "gauntlet", "challengers": [self._agent], "instances": SHARED}
        return {
            "tournament": {
                "name": f"agent-{variant}"[:LONGEST_NAME],
                "sets": 1,
                **(gauntlet if self._is_rated else {"lineup": FIXED}),
                **({"seed": f"{self._seed} {number}"} if self._seed else {}),
                **({"isolation": self._isolation} if self._isolation else {}),
            },
            "time": dict(self._time),
            "variant": [{"name": variant, "options": dict(options)}],
            "bot": self._rated_bots() if self._is_rated else self._bots_by_seat(variant, options, number),
        }

    def _rated_bots(self) -> list[dict[str, str]]:
        others = [{"path": str(find_bot(bot))} for bot in dict.fromkeys(self._opponents)]
        return [{"path": str(AGENT_MANIFEST), "name": self._agent}, *others]

    def _bots_by_seat(self, variant: str, options: Mapping[str, str], number: int) -> list[dict[str, str]]:
        players = rules_of(variant).seats(resolve_options(variant, dict(options)))
        own = (self._seat + number) % players
        others = [find_bot(self._opponents[place % len(self._opponents)]) for place in range(players - 1)]
        bots: list[dict[str, str]] = []
        for place, path in enumerate(others):
            before = others[:place].count(path)
            name = load_bot(path).name
            bots.append({"path": str(path), "name": f"{name}-{before + 1}" if before else name})
        return [*bots[:own], {"path": str(AGENT_MANIFEST), "name": self._agent}, *bots[own:]]

    def has_more(self) -> bool:
        """Return whether another game can begin."""
        return self._games == 0 or self._begun < self._games

    def next(self, door: Door) -> Order:
        """Return the process of the next game."""
        self._begun += 1
        return run_order(self.file(self._begun - 1), self._db, door)


class OneRun:
    """A whole run, once."""

    is_eager = False

    def __init__(self, file: Mapping[str, Any], db: Path) -> None:
        """Store the run, given as the tables of its tournament file. Raises TournamentError or EngineError."""
        plan_of(file)
        self._file = file
        self._db = db
        self._is_begun = False

    def has_more(self) -> bool:
        """Return whether the run has not begun."""
        return not self._is_begun

    def next(self, door: Door) -> Order:
        """Return the process of the run."""
        self._is_begun = True
        return run_order(self._file, self._db, door)


class Invited:
    """A seat in a run or a league on another machine, with its organiser's invitation."""

    is_eager = True

    def __init__(self, invitation: Mapping[str, str], *, again: bool) -> None:
        """Store the variables of an invitation (`invitation`).

        again: whether to reconnect after each run, as in a league.
        """
        self._invitation = invitation
        self._again = again
        self._is_begun = False

    def has_more(self) -> bool:
        """Return whether the bot has not connected yet, or may reconnect."""
        return self._again or not self._is_begun

    def next(self, door: Door) -> Order:
        """Return the agent's bot, which connects to the organiser's referee."""
        self._is_begun = True
        own = {SOCKET: str(door.path), SECRET: door.secret}
        return Order([sys.executable, "agent.py"], cwd=AGENT_MANIFEST.parent, environment={**self._invitation, **own})


def run_order(file: Mapping[str, Any], db: Path, door: Door) -> Order:
    """Return the process that plays a tournament, given as the tables of its file."""
    said = {"file": file, "db": str(db.absolute()), "socket": str(door.path), "secret": door.secret}
    return Order(RUN, stdin=said)


async def play(order: Order) -> str:
    """Run a process to its end. Return a sentence if it failed. When cancelled, end the process properly first."""
    process = await trio.lowlevel.open_process(
        [*order.command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=order.cwd,
        env={**os.environ, **order.environment},
        start_new_session=True,
    )
    assert isinstance(process, trio.Process)
    output, errors = bytearray(), bytearray()
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_keep, process.stdout, output)
            nursery.start_soon(_keep, process.stderr, errors)
            if order.stdin:
                nursery.start_soon(_write, process, order.stdin)
            code = await process.wait()
    finally:
        with trio.CancelScope(shield=True):
            await end_in_order(process, by_signal=not order.stdin)
    return "" if code == 0 else _problem(code, bytes(output), bytes(errors))


async def _write(process: trio.Process, said: Mapping[str, Any]) -> None:
    """Write the order. stdin stays open, since the process ends when it closes."""
    assert process.stdin is not None  # it is a pipe
    try:
        await process.stdin.send_all(json.dumps(said).encode() + b"\n")
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        return  # it has ended; `play` reports why


async def _keep(stream: trio.abc.ReceiveStream | None, kept: bytearray) -> None:
    """Read a stream to its end and keep the last part."""
    assert stream is not None  # it is a pipe
    async for piece in stream:
        kept += piece
        del kept[:-LONGEST_OUTPUT]


def _problem(code: int, output: bytes, errors: bytes) -> str:
    """Return a sentence about a process that failed: the one it reported, or its last line."""
    for line in reversed(output.splitlines()):
        try:
            said = load_json(line)
        except ValueError:
            continue
        if isinstance(said, dict) and said.get("kind") == "failed":
            return shown(str(said["why"]), LONGEST_SENTENCE)
    return unexpected_end(code, errors.decode(errors="replace"))
