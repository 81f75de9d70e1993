"""Agents over MCP with real processes: the server, the run it starts, the bots, and real clients."""

from __future__ import annotations

import asyncio
import json
import random

import httpx2
import pytest
import trio
import trio.testing
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from bowerbird.harness.referee.remote.certificate import self_signed
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.hosted import hosted
from tests.support.mcp.sdk_client import (
    Played,
    called,
    listening,
    next_decision,
    over_http,
    play_out,
    refused,
    started,
    text_of,
)

SIX = ("euchre", "buck", "two-handed", "cut-throat", "bid-102", "dirty-clubs")
BRIEF = ("--option", "max_hands=1", "--isolation", "none", "--db", "x.db")


async def _whole_games(bowerbird: Bowerbird, *arguments: str) -> Played:
    async with Client(started(bowerbird, *arguments)) as client:
        played = await play_out(client, random.Random(7))
        standings = (await called(client, "standings")).structured_content
        assert standings is not None
        assert standings["decisions"] == len(played.decisions)
        for result in standings["results"]:
            assert result["faults"] == []
            read = await client.read_resource(f"bowerbird://games/{result['table']}")
            assert result["table"] in str(read.contents[0])
    return played


@pytest.mark.parametrize("games", [6, pytest.param(20, marks=pytest.mark.long)])
@pytest.mark.parametrize("library", ["trio", "asyncio"])
def test_the_client_of_the_sdk_plays_whole_games_in_six_variants(
    bowerbird: Bowerbird, library: str, games: int
) -> None:
    arguments = (*SIX, "--games", str(games), *BRIEF)
    if library == "trio":
        played = trio.run(_whole_games, bowerbird, *arguments)
    else:
        played = asyncio.run(_whole_games(bowerbird, *arguments))
    assert {shown["variant"] for shown in played.decisions} == set(SIX)
    runs = bowerbird.json("runs", "--db", "x.db")
    assert {(run["name"], run["games"]) for run in runs} == {(f"agent-{name}", 1) for name in SIX}
    assert len(runs) == games
    assert "no differences" in bowerbird.done("verify", "--db", "x.db")


def test_a_rated_deal_set_has_a_rating_and_greedy_is_the_partner_in_it(bowerbird: Bowerbird) -> None:
    played = trio.run(_whole_games, bowerbird, "euchre", "--games", "1", "--rated", *BRIEF)
    tables = {shown["table"] for shown in played.decisions}
    seats = {(shown["table"], shown["seat"]) for shown in played.decisions}
    assert len(tables) == len(seats) == 2
    standings = bowerbird.done("standings", "--db", "x.db")
    assert "no ratings" not in standings
    assert "agent claims" in standings
    assert "partner " in standings


async def test_two_clients_of_an_agent_have_a_seat_each_and_no_partner(bowerbird: Bowerbird) -> None:
    tokens = ["a" * 40, "b" * 40]
    file = bowerbird.folder / "agents.tokens"
    file.write_text("".join(f"ada {token}\n" for token in tokens))
    file.chmod(0o600)
    arguments = ("euchre", "--games", "1", "--rated", "--name", "ada", *BRIEF)
    with listening(bowerbird, *arguments) as (address, _):
        async with (
            Client(over_http(address, tokens[0])) as one,
            Client(over_http(address, tokens[1])) as other,
            trio.open_nursery() as nursery,
        ):
            waits = (await called(one, "next_decision", wait_s=0)).structured_content
            assert waits is not None
            assert waits["state"] == "wait"
            assert waits["problem"] == "1 of the agent's 2 clients have not asked yet"
            played: list[Played] = []

            async def play(client: Client, seed: int) -> None:
                played.append(await play_out(client, random.Random(seed)))

            nursery.start_soon(play, one, 1)
            nursery.start_soon(play, other, 2)
    tables = [{shown["table"]: shown["seat"] for shown in one.decisions} for one in played]
    assert [len(one) for one in tables] == [2, 2]
    assert {*tables[0].values()} | {*tables[1].values()} == {0, 1, 2, 3}
    assert "claims" not in bowerbird.done("standings", "--db", "x.db")


async def test_what_cannot_be_done_is_told_in_one_sentence_and_changes_nothing(bowerbird: Bowerbird) -> None:
    async with Client(started(bowerbird, "euchre", "--games", "1", *BRIEF)) as client:
        assert "no decision is open" in await refused(client, "act", decision="d-1", action=1)
        assert "euchre" in await refused(client, "rules", variant="euchr")
        shown = await next_decision(client)
        name, first = shown["decision"], shown["legal"][0]["action"]
        wrong: object
        for wrong in ("claim", 0, 99, -1, "play X9", True, None, 1.5, [1], {"action": 1}, "x" * 10_000):
            why = await refused(client, "act", decision=name, action=wrong)
            assert f"1 ({first})" in why
            assert "\n" not in why
        for wait in (-1, 51, True, "soon", None):
            assert "from 0 to 50" in await refused(client, "next_decision", wait_s=wait)
        assert name in await refused(client, "act", decision="another", action=1)
        assert (await next_decision(client))["decision"] == name
        await called(client, "act", decision=name, action=first)
        await called(client, "act", decision=name, action=first)
        assert "already answered" in await refused(client, "act", decision=name, action="claim")
        await play_out(client, random.Random(1))
        assert "already answered" in await refused(client, "act", decision=name, action=2)
    assert [game["faults"] for game in bowerbird.json("matches", "--db", "x.db")] == [0]


async def test_a_decision_that_is_late_is_closed_and_the_referee_decides(bowerbird: Bowerbird) -> None:
    arguments = ("euchre", "--games", "1", "--think", "0.2", "--bank", "1", *BRIEF)
    async with Client(started(bowerbird, *arguments)) as client:
        shown = await next_decision(client)
        while shown["state"] == "decide":
            late, shown = shown["decision"], await next_decision(client)
            if shown["decision"] == late:
                await trio.sleep(shown["time_left_s"])
        why = await refused(client, "act", decision=late, action=1)
        assert "closed" in why


async def test_a_client_that_leaves_ends_the_game_and_every_process(bowerbird: Bowerbird) -> None:
    async with Client(started(bowerbird, "euchre", *BRIEF)) as client:
        await next_decision(client)
    assert bowerbird.wait_until_gone() == []
    assert bowerbird.json("runs", "--db", "x.db") == []


async def test_next_decision_waits_while_other_calls_are_answered(bowerbird: Bowerbird) -> None:
    async with Client(started(bowerbird, "euchre", "--games", "1", *BRIEF)) as client:
        order: list[str] = []
        async with trio.open_nursery() as nursery:

            async def ask(tool: str) -> None:
                await called(client, tool)
                order.append(tool)

            nursery.start_soon(ask, "next_decision")
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(ask, "standings")
        assert order == ["standings", "next_decision"]
        while (told := text_of(await called(client, "history"))) == "No game is in play.":
            await called(client, "next_decision")  # on a slow machine the first one ends before the game begins
        assert told.startswith("table-")


CUP = """
[tournament]
sets = 1
unit = "deals"
[time]
per_decision = "60s"
[[variant]]
name = "euchre"
[[bot]]
remote = true
name = "ada"
[[bot]]
path = "greedy"
"""


async def test_an_agent_plays_a_hosted_run_by_its_invitation(bowerbird: Bowerbird) -> None:
    (bowerbird.folder / "cup.toml").write_text(CUP)
    with hosted(bowerbird, "cup.toml", "--isolation", "none", "--allow-readable-seed") as host:
        await trio.to_thread.run_sync(host.until_invited)
        [file] = (bowerbird.folder / "invitations").glob("*/ada.env")
        async with Client(started(bowerbird, "--invitation", str(file))) as client:
            played = await play_out(client, random.Random(3))
            standings = (await called(client, "standings")).structured_content
            told = str(played) + str(standings)
            assert host.invitation("ada")["BOWERBIRD_TOKEN"] not in told
        await trio.to_thread.run_sync(host.ended)
    assert standings is not None
    assert len(standings["results"]) == 2
    assert "ada" in bowerbird.done("standings", "--db", "x.db")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("BOWERBIRD_ADDRESS=a:1\n", "BOWERBIRD_TOKEN is missing"),
        ("BOWERBIRD_ADDRESS=a:1\nBOWERBIRD_TOKEN=x\nBOWERBIRD_CA=b.pem\n", "put the organiser's file b.pem"),
        ("export BOWERBIRD_TOKEN=s3cret\n", "line 1"),
        ("BOWERBIRD_TOKEN s3cret\n", "line 1"),
        ("BOWERBIRD_ADDRESS=a\0b:1\nBOWERBIRD_TOKEN=s3cret\n", "not text"),
    ],
)
def test_a_wrong_invitation_is_refused_without_its_token(bowerbird: Bowerbird, text: str, why: str) -> None:
    (bowerbird.folder / "ada.env").write_text(text)
    said = bowerbird.refused("mcp", "--invitation", "ada.env")
    assert why in said
    assert "s3cret" not in said


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_agent_plays_over_http_and_a_second_client_takes_the_seat_over(
    bowerbird: Bowerbird, mode: str
) -> None:
    with listening(bowerbird, "euchre", "--games", "1", *BRIEF) as (address, token):
        async with Client(over_http(address, token), mode=mode) as first:
            shown = await next_decision(first)
        async with Client(over_http(address, token), mode=mode) as second:
            assert (await next_decision(second))["decision"] == shown["decision"]
            async with Client(over_http(address, token), mode=mode) as third:
                await called(third, "act", decision=shown["decision"], action=1)
            assert "already answered" in await refused(second, "act", decision=shown["decision"], action=2)
            await play_out(second, random.Random(4))
        assert [game["faults"] for game in bowerbird.json("matches", "--db", "x.db")] == [0]


async def test_over_tls_only_who_trusts_the_certificate_speaks_to_the_server(bowerbird: Bowerbird) -> None:
    certificate = self_signed(["127.0.0.1"])
    chain, key = bowerbird.folder / "chain.pem", bowerbird.folder / "key.pem"
    chain.write_bytes(certificate.chain)
    key.write_bytes(certificate.key)
    files = ("--certificate", "chain.pem", "--key", "key.pem")
    with listening(bowerbird, "euchre", "--games", "1", *files, *BRIEF) as (address, token):
        assert address.startswith("https://")
        async with Client(over_http(address, token, chain)) as client:
            await play_out(client, random.Random(4))
        async with httpx2.AsyncClient() as stranger:
            with pytest.raises(httpx2.ConnectError):
                await stranger.get(address)
            with pytest.raises(httpx2.TransportError):
                await stranger.get(address.replace("https:", "http:"))
    assert [game["faults"] for game in bowerbird.json("matches", "--db", "x.db")] == [0]


@pytest.mark.parametrize("broken", ["chain.pem", "key.pem", "both"])
def test_what_is_no_certificate_is_refused_before_anybody_connects(bowerbird: Bowerbird, broken: str) -> None:
    certificate = self_signed(["127.0.0.1"])
    for name, text in (("chain.pem", certificate.chain), ("key.pem", certificate.key)):
        (bowerbird.folder / name).write_bytes(b"no PEM\n" if broken in (name, "both") else text)
    said = bowerbird.refused(
        "mcp", "--listen", "0.0.0.0:0", "--certificate", "chain.pem", "--key", "key.pem", "--db", "x.db"
    )
    assert "not a certificate and key for TLS" in said


async def test_clients_that_crashed_do_not_lock_the_agent_out(bowerbird: Bowerbird) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "crashes", "version": "1"},
        },
    }
    with listening(bowerbird, "euchre", *BRIEF) as (address, token):
        headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
        async with httpx2.AsyncClient(headers=headers) as client:
            for _ in range(20):
                assert (await client.post(address, json=hello)).status_code == 200


async def test_agents_with_tokens_of_their_own_see_only_their_own_games(bowerbird: Bowerbird) -> None:
    tokens = {"ada": "a" * 40, "bob": "b" * 40}
    file = bowerbird.folder / "agents.tokens"
    file.write_text("".join(f"{name} {token}\n" for name, token in tokens.items()))
    file.chmod(0o600)
    with listening(bowerbird, "euchre", "--games", "1", *BRIEF) as (address, _):
        async with Client(over_http(address, tokens["ada"])) as ada, Client(over_http(address, tokens["bob"])) as bob:
            of_ada, of_bob = await next_decision(ada), await next_decision(bob)
            assert of_ada["table"] != of_bob["table"]
            assert "no decision" in await refused(bob, "act", decision=of_ada["decision"], action=1)
            await play_out(ada, random.Random(1))
            with pytest.raises(MCPError):
                await bob.read_resource(f"bowerbird://games/{of_ada['table']}")
            await play_out(bob, random.Random(2))
    shown = bowerbird.done("standings", "--all", "--db", "x.db")
    assert "ada" in shown
    assert "bob" in shown


async def test_a_request_of_a_page_of_another_host_or_without_the_token_reaches_nothing(bowerbird: Bowerbird) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    with listening(bowerbird, "euchre", *BRIEF) as (address, token):
        # Each request has its own connection, since the server ends one that stays idle for some seconds.
        async with httpx2.AsyncClient(limits=httpx2.Limits(max_keepalive_connections=0)) as client:

            async def status(headers: dict[str, str], content: bytes | None = None) -> int:
                accept = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
                sent = await client.post(
                    address, headers={**accept, **headers}, content=content or json.dumps(ping).encode()
                )
                assert token not in sent.text
                return sent.status_code

            own = {"authorization": f"Bearer {token}"}
            assert await status({}) == 401
            assert await status({"authorization": f"Bearer {token}x"}) == 401
            assert await status({"authorization": f"Basic {token}"}) == 401
            assert await status({**own, "origin": "http://evil.example"}) == 403
            assert await status({**own, "origin": "https://127.0.0.1.evil.example"}) == 403
            assert await status({**own, "origin": address.removesuffix("/mcp")}) in (200, 400)
            assert await status({"origin": address.removesuffix("/mcp")}) == 401
            assert await status({**own, "host": "evil.example"}) == 421
            assert await status(own, b"[" * 70_000) == 413
            assert (await client.get(address.removesuffix("/mcp"), headers=own)).status_code == 404
            for _ in range(40):
                last = await status({})
            assert last == 429
            assert await status(own) in (200, 400)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--listen", "0.0.0.0:0"), "plain text"),
        (("--listen", "127.0.0.1:0", "--certificate", "x.db"), "need each other"),
        (("--tokens", "t"), "need --listen"),
        (("--again",), "--again needs --invitation"),
        (("--listen", "127.0.0.1"), "ADDRESS:PORT"),
        (("eucher",), "euchre"),
        (("--with", "gredy"), "greedy"),
    ],
)
def test_a_wrong_command_line_is_refused_in_one_sentence(
    bowerbird: Bowerbird, arguments: tuple[str, ...], why: str
) -> None:
    (bowerbird.folder / "x.db").write_text("")
    assert why in bowerbird.refused("mcp", *arguments)


def test_a_file_of_tokens_that_others_can_read_is_refused(bowerbird: Bowerbird) -> None:
    file = bowerbird.folder / "t"
    file.write_text(f"ada {'s3cret' * 8}\n")
    file.chmod(0o644)
    said = bowerbird.refused("mcp", "--listen", "127.0.0.1:0", "--tokens", "t", "--db", "x.db")
    assert "chmod 600" in said
    assert "s3cret" not in said
