"""A game in this process whose one seat is an agent's: no referee, and the desk is told what a real bot tells it."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Awaitable, Callable, Mapping

import trio

from bowerbird.bots.bridge.bot import Bridge
from bowerbird.engine import Game, new_game
from bowerbird.harness.extras.mcp.agent_bot.agent import CAPABILITIES
from bowerbird.harness.extras.mcp.desk import Desk
from bowerbird.harness.extras.mcp.lines import Door
from bowerbird.harness.extras.mcp.runs import Order
from bowerbird.harness.sdk.local import play_out
from bowerbird.sdk import Bot, Choice, Decision

HANDS = 2
"""The longest game."""

Moment = Callable[[Game], Awaitable[None]]
"""Is called when a decision of the agent is open, with the whole game. It must act."""


class Nothing:
    """A source of games that has none."""

    is_eager = False

    def has_more(self) -> bool:
        return False

    def next(self, door: Door) -> Order:
        raise AssertionError("there is nothing to play")


class _RandomBot(Bot):
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def act(self, decision: Decision) -> Choice:
        return self._rng.choice(decision.legal)


class _Line:
    """Hands the messages of a bridge to the desk, in trio's thread, and waits for the agent."""

    who = "the test"

    def __init__(self, desk: Desk, moment: Callable[[], Awaitable[None]]) -> None:
        self._desk = desk
        self._moment = moment

    def ask(self, message: Mapping[str, object], deadline: float, warn_at: float, warning: str) -> bytes:
        if message["type"] == "hello":
            return b'{"ready": true}'
        return json.dumps(trio.from_thread.run(self._decide, message)).encode()

    async def _decide(self, message: Mapping[str, object]) -> Mapping[str, object]:
        answers: list[Mapping[str, object]] = []
        # The game has no clock, and the test may stop for longer than its messages say.
        self._desk.decision(0, {**message, "remaining_ms": 3_600_000}, answers.append)
        await self._moment()
        [answer] = answers
        return answer

    def tell(self, message: Mapping[str, object], deadline: float) -> None:
        kind = str(message["type"])
        trio.from_thread.run_sync(getattr(self._desk, kind), 0, message)

    def close(self, deadline: float) -> None:
        pass


async def play_game(desk: Desk, variant: str, seat: int, seed: str, moment: Moment) -> bytes:
    """Play a game with the agent at a seat and random bots at the others. Return the random seed of the agent's seat.

    moment: called at each of the agent's decisions.
    """
    secret = hashlib.sha256(seed.encode()).digest()
    game = new_game(variant, {"max_hands": HANDS}, seed=secret)
    rng = random.Random(seed)
    bridge = Bridge("agent", lambda: _Line(desk, lambda: moment(game)), is_shared=True)
    bridge.capabilities = CAPABILITIES
    bots: list[Bot] = [_RandomBot(rng) for _ in range(game.players)]
    bots[seat % game.players] = bridge
    await trio.to_thread.run_sync(lambda: play_out(game, bots, secret))
    return hashlib.sha256(secret + bytes([seat % game.players])).digest()
