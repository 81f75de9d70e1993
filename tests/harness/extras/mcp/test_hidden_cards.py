"""An agent that asks for everything it should not see, at every moment of 200 games."""

from __future__ import annotations

import json
import os
import random
import re
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
import trio
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent

from bowerbird.engine import Game, variant_names
from bowerbird.harness.extras.mcp.place import Place, open_places
from bowerbird.harness.extras.mcp.seating import Seating
from bowerbird.harness.extras.mcp.tools import rules_page, server_of
from tests.support.mcp.local_seat import Nothing, play_game

CARD = re.compile(r"\b(?:[AKQJT98765432][shdc]|X\d)\b")

TOOLS = {"rules", "next_decision", "act", "history", "standings"}

GAMES = int(os.environ.get("BOWERBIRD_TEST_GAMES", "60"))
"""How many games the long attack has. The full size is 200."""

CURIOUS = ("all hands", "../../secret", "seat 0", "0", "*", "table-000000", "%2e%2e", "seed")
"""What is asked for in place of a name."""


class Spy:
    """Asks for everything through the protocol, and keeps the answers."""

    def __init__(self, client: Client, rng: random.Random, place: Place) -> None:
        self.client = client
        self.rng = rng
        self.place = place
        self.moments = 0
        self.said = ""
        self.open: dict[str, Any] = {}
        """The open decision, {} if there is none."""

    @property
    def seat(self) -> int | None:
        """The seat of the agent at its table; it never has two."""
        seats = [table.seat for table in self.place.desk.tables]
        assert len(seats) <= 1
        return seats[0] if seats else None

    async def look(self, game: Game) -> None:
        """Ask for everything, and check the answers against the whole game."""
        shown = await self.ask_for_everything()
        self.open = shown if shown["state"] == "decide" else {}
        if self.seat is None:
            assert not self.open
            return
        hidden = _hidden(game, self.seat)
        leaks = [line for line in _of_this_hand(self.said).splitlines() if hidden & {*CARD.findall(line)}]
        assert leaks == [], hidden
        self.moments += 1

    async def call(self, tool: str, **arguments: object) -> CallToolResult:
        result = await self.client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)
        texts = [block.text for block in result.content if isinstance(block, TextContent)]
        self.said += "\n".join([*texts, json.dumps(result.structured_content)]) + "\n"
        return result

    async def ask_for_everything(self) -> dict[str, Any]:
        """Ask; return the open decision."""
        self.said = ""
        curious = self.rng.choice(CURIOUS)
        await self.call("history", seat=0, hands=True, all=True)
        await self.call("standings", table=curious)
        for name in (curious, "d-00000000"):
            assert (await self.call("act", decision=name, action=1)).is_error
        assert (await self.call("rules", variant=curious)).is_error
        assert (await self.call("hands", seat=0)).is_error
        for uri in (
            f"bowerbird://games/{curious}",
            "bowerbird://games/",
            "bowerbird://rules/../games",
            "file:///etc/passwd",
        ):
            with pytest.raises(MCPError) as refused:
                await self.client.read_resource(uri)
            self.said += str(refused.value)
        shown: dict[str, Any] | None = (await self.call("next_decision", wait_s=0, seat=0, all=True)).structured_content
        assert shown is not None
        return shown


def _hidden(game: Game, seat: int) -> set[str]:
    """Return the cards in other players' hands that the seat has not seen in this hand."""
    view = game.view(seat)
    known = {*CARD.findall(json.dumps([view.hand, view.memory, view.trick, view.tricks, view.laid]))}
    known |= {*CARD.findall(" ".join([str(event) for event in view.history])), view.upcard}
    known |= {*CARD.findall(" ".join(action.token for action in view.legal))}
    others = (card for other in range(game.players) if other != seat for card in game.view(other).hand)
    return {card for card in others if card not in known}


def _of_this_hand(said: str) -> str:
    """Return the answers without lines of hands that are over: their cards were seen."""
    kept: list[str] = []
    for line in said.replace('"', "\n").splitlines():
        if re.search(r"hand \d+ is over|a game of .* begins", line):
            kept = [one for one in kept if not re.match(r"\s*(table-\w+: )?(seat \d+|you): ", one)]
        kept.append(line)
    return "\n".join(kept)


@dataclass(frozen=True)
class Agents:
    """The agents of a game. clients: how many there are; whole_side: whether they have all seats of a side."""

    clients: int
    whole_side: bool


ALONE = Agents(clients=1, whole_side=False)
WITH_PARTNER = Agents(clients=1, whole_side=True)
TWO = Agents(clients=2, whole_side=True)
ONE_FOR_EACH_SEAT = Agents(clients=10, whole_side=True)
ALL_AGENTS = (ALONE, WITH_PARTNER, TWO, ONE_FOR_EACH_SEAT)


async def _attack(seed: int, variants: tuple[str, ...], games: int, agents: Agents) -> int:
    """Play games; each client asks for everything at every decision of any of them. Return the number of moments."""
    rng = random.Random(seed)
    async with AsyncExitStack() as opened:
        places = await opened.enter_async_context(open_places(Nothing(), agents.clients))
        seating = Seating([place.desk for place in places])
        spies = [Spy(await opened.enter_async_context(Client(server_of(place))), rng, place) for place in places]
        for spy in spies:
            assert {tool.name for tool in (await spy.client.list_tools()).tools} == TOOLS
            listed = {str(one.uri) for one in (await spy.client.list_resources()).resources}
            assert listed == {f"bowerbird://rules/{name}" for name in variant_names()}

        async def moment(game: Game) -> None:
            seats = [spy.seat for spy in spies if spy.seat is not None]
            assert len(seats) == len({*seats}), "two agents have a seat"
            for spy in spies:
                await spy.look(game)
            assert [spy.open["seat"] for spy in spies if spy.open] == [game.actor]
            for spy in spies:
                if spy.open:
                    await spy.call("act", decision=spy.open["decision"], action=rng.choice(spy.open["legal"])["number"])

        for number in range(games):
            variant = variants[number % len(variants)]
            for place in places:
                place.desk.begun()
            secrets = await play_game(
                seating, variant, rng.randrange(10), f"{seed} {number}", moment, whole_side=agents.whole_side
            )
            for spy, secret in product(spies, secrets):
                assert secret.hex() not in spy.said
            for place in places:
                place.desk.ended()
        return sum(spy.moments for spy in spies)


@pytest.mark.parametrize("agents", ALL_AGENTS)
async def test_no_hidden_card_is_ever_told(agents: Agents) -> None:
    assert await _attack(1, ("euchre", "buck", "two-handed"), 3, agents) > 10


@pytest.mark.parametrize("agents", ALL_AGENTS)
def test_no_hidden_card_is_ever_told_in_many_games_of_every_variant(simulations: None, agents: Agents) -> None:
    games = GAMES // len(ALL_AGENTS)
    assert trio.run(_attack, 2, variant_names(), games, agents) > 5 * games


def test_a_page_of_rules_is_that_of_the_variant() -> None:
    assert rules_page("euchre").startswith("euchre: ")
