"""Clients that are not the SDK's own in Python: one written by hand, and npm's."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.mcp.raw_client import RawClient

SIX = ("euchre", "buck", "two-handed", "cut-throat", "bid-102", "dirty-clubs")
BRIEF = ("--option", "max_hands=1", "--isolation", "none", "--db", "x.db")
NPM_CLIENT = Path(__file__).parent.parent / "support" / "mcp" / "npm_client.mjs"
NPM_SDK = "@modelcontextprotocol/sdk@1.32.2"

GAMES = [6, pytest.param(20, marks=pytest.mark.long)]


def _check(bowerbird: Bowerbird, games: int, standings: dict[str, Any]) -> None:
    assert standings["games"] == games
    assert [result["faults"] for result in standings["results"]] == [[]] * games
    assert len(bowerbird.json("runs", "--db", "x.db")) == games
    assert "no differences" in bowerbird.done("verify", "--db", "x.db")


@pytest.mark.parametrize("games", GAMES)
def test_a_client_written_by_hand_plays_whole_games(bowerbird: Bowerbird, games: int) -> None:
    rng = random.Random(5)
    variants: set[str] = set()
    with RawClient(bowerbird, *SIX, "--games", str(games), *BRIEF) as client:
        while (shown := client.call("next_decision", wait_s=20)["structuredContent"])["state"] != "over":
            if shown["state"] == "decide":
                variants.add(shown["variant"])
                action = rng.choice(shown["legal"])["action"]
                acted = client.call("act", decision=shown["decision"], action=action)
                assert acted["structuredContent"] == {"decision": shown["decision"], "action": action}
        assert variants == set(SIX)
        standings = client.call("standings")["structuredContent"]
        assert client.close() == 0
    _check(bowerbird, games, standings)


def test_what_is_no_message_is_survived(bowerbird: Bowerbird) -> None:
    with RawClient(bowerbird, "euchre", *BRIEF) as client:
        assert client.request("tools/destroy")["error"]["code"] == -32601
        for broken in (b"\n", b"{\n", b"\xff\xfe\n", b"[]\n", b'{"jsonrpc": "1.0"}\n', b'{"id": {}}\n'):
            client.send(broken)
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 999}})
        tools = client.request("tools/list")["tools"]
        assert [tool["name"] for tool in tools] == ["rules", "next_decision", "act", "history", "standings"]
        assert all(tool["outputSchema"]["type"] == "object" for tool in tools)
        prompt = client.request("prompts/get", {"name": "play"})
        assert "next_decision" in prompt["messages"][0]["content"]["text"]
        assert client.close() == 0


@pytest.fixture(scope="module")
def npm_folder(tmp_path_factory: pytest.TempPathFactory, processes: None) -> Path:
    """Return a folder with npm's SDK and the client."""
    folder = tmp_path_factory.mktemp("npm")
    done = Bowerbird(folder).run("npm", "install", "--no-audit", "--no-fund", NPM_SDK)
    assert done.returncode == 0, done.stderr
    shutil.copy(NPM_CLIENT, folder)
    return folder


@pytest.mark.toolchain("node", "npm")
@pytest.mark.parametrize("games", GAMES)
def test_the_client_of_npm_plays_whole_games(bowerbird: Bowerbird, npm_folder: Path, games: int) -> None:
    arguments = (COMMAND, "mcp", *SIX, "--games", str(games), *BRIEF)
    done = bowerbird.run("node", npm_folder / NPM_CLIENT.name, *arguments, timeout_s=games * DEADLINE_S)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["variants"] == sorted(SIX)
    _check(bowerbird, games, said["standings"])
