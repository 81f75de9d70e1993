"""A game in this process with an agent at one seat or a side: no referee, and desks are told what a real bot tells."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Awaitable, Callable, Mapping

import trio

from bowerbird.engine import Game, new_game, rules_of
from bowerbird.harness.extras.mcp.agent_bot.agent import Agent
from bowerbird.harness.extras.mcp.lines import Door
from bowerbird.harness.extras.mcp.runs import Order
from bowerbird.harness.extras.mcp.seating import Seating
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
    """Hands the messages of a bridge to the desks, in trio's thread, and waits for the agent."""

    who = "the test"

    def __init__(self, seating: Seating, moment: Callable[[], Awaitable[None]]) -> None:
        self._seating = seating
        self._moment = moment

    def ask(self, message: Mapping[str, object], deadline: float, warn_at: float, warning: str) -> bytes:
        return json.dumps(trio.from_thread.run(self._answered, message)).encode()

    async def _answered(self, message: Mapping[str, object]) -> Mapping[str, object]:
        answers: list[Mapping[str, object]] = []
        # The game has no clock, and the test may stop for longer than its messages say.
        self._seating.take(0, {**message, "remaining_ms": 3_600_000}, answers.append)
        if not answers:
            await self._moment()
        [answer] = answers
        return answer

    def tell(self, message: Mapping[str, object], deadline: float) -> None:
        trio.from_thread.run_sync(self._seating.take, 0, message, _refuse)

    def close(self, deadline: float) -> None:
        pass


def _refuse(_answer: Mapping[str, object]) -> None:
    raise AssertionError("no answer is wanted")


async def play_game(
    seating: Seating, variant: str, seat: int, seed: str, moment: Moment, *, whole_side: bool = False
) -> list[bytes]:
    """Play a game with the agent at a seat and random bots at the others. Return the random seeds of the agent's seats.

    moment: called at each of the agent's decisions.
    whole_side: whether the agent has all seats of its side.
    """
    secret = hashlib.sha256(seed.encode()).digest()
    game = new_game(variant, {"max_hands": HANDS}, seed=secret)
    rng = random.Random(seed)
    agent = Agent("agent", lambda: _Line(seating, lambda: moment(game)), is_shared=True)
    bots: list[Bot] = [_RandomBot(rng) for _ in range(game.players)]
    seat %= game.players
    sides = rules_of(variant).teams(game.options) if whole_side else None
    own = next((side for side in sides or () if seat in side), (seat,))
    for one in own:
        bots[one] = agent
    await trio.to_thread.run_sync(lambda: play_out(game, bots, secret))
    return [hashlib.sha256(secret + bytes([one])).digest() for one in own]
