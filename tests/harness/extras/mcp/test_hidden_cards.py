"""An agent that asks for everything it should not see, at every moment of 200 games."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
import trio
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent

from bowerbird.engine import Game, variant_names
from bowerbird.harness.extras.mcp.place import open_place
from bowerbird.harness.extras.mcp.tools import rules_page, server_of
from tests.support.mcp.local_seat import Nothing, play_game

CARD = re.compile(r"\b(?:[AKQJT98765432][shdc]|X\d)\b")

TOOLS = {"rules", "next_decision", "act", "history", "standings"}

CURIOUS = ("all hands", "../../secret", "seat 0", "0", "*", "table-000000", "%2e%2e", "seed")
"""What is asked for in the place of a name."""


class Spy:
    """Asks for everything through the protocol, and keeps what is said."""

    def __init__(self, client: Client, rng: random.Random) -> None:
        self.client = client
        self.rng = rng
        self.moments = 0
        self.said = ""

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


def _hidden(game: Game, seat: int, known: set[str]) -> set[str]:
    """Return the cards in the hands of others that the seat has never seen in this hand."""
    others = (card for other in range(game.players) if other != seat for card in game.view(other).hand)
    return {card for card in others if card not in known}


def _of_this_hand(said: str) -> str:
    """Return what was said without lines of hands that are over: their cards were seen."""
    kept: list[str] = []
    for line in said.replace('"', "\n").splitlines():
        if re.search(r"hand \d+ is over|a game of .* begins", line):
            kept = [one for one in kept if not re.match(r"\s*(table-\w+: )?(seat \d+|you): ", one)]
        kept.append(line)
    return "\n".join(kept)


async def _attack(seed: int, variants: tuple[str, ...], games: int) -> int:
    rng = random.Random(seed)
    async with open_place("agent", Nothing()) as place, Client(server_of(place)) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        assert listed == {f"bowerbird://rules/{name}" for name in variant_names()}
        spy = Spy(client, rng)

        for number in range(games):
            place.desk.begun()
            seat = rng.randrange(10)

            async def moment(game: Game) -> None:
                actor = game.actor
                assert actor is not None
                view = game.view(actor)
                shown = await spy.ask_for_everything()
                assert shown["seat"] == actor
                known = {*CARD.findall(json.dumps([view.hand, view.memory, view.trick, view.tricks, view.laid]))}
                known |= {*CARD.findall(" ".join([str(event) for event in view.history])), view.upcard}
                known |= {*CARD.findall(" ".join(action.token for action in view.legal))}
                hidden = _hidden(game, actor, known)
                leaks = [line for line in _of_this_hand(spy.said).splitlines() if hidden & {*CARD.findall(line)}]
                assert leaks == [], hidden
                spy.moments += 1
                await spy.call("act", decision=shown["decision"], action=rng.choice(shown["legal"])["number"])

            secret = await play_game(place.desk, variants[number % len(variants)], seat, f"{seed} {number}", moment)
            assert secret.hex() not in spy.said
            place.desk.ended()
            assert place.desk.games[-1].variant == variants[number % len(variants)]
        return spy.moments


async def test_no_hidden_card_is_ever_told() -> None:
    assert await _attack(1, ("euchre", "buck", "two-handed"), 6) > 20


def test_no_hidden_card_is_ever_told_in_200_games_of_every_variant(simulations: None) -> None:
    assert trio.run(_attack, 2, variant_names(), 200) > 1500


def test_a_page_of_rules_is_that_of_the_variant() -> None:
    assert rules_page("euchre").startswith("euchre: ")
