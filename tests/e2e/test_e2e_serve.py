"""A tournament that shows its pages while it is being played: `--serve`, and what no page may show before its time."""

from __future__ import annotations

import json
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.run import COMMON, OWN, GameId, SetKey
from tests.support.command.bowerbird_command import Bowerbird, said_until
from tests.support.deadline import DEADLINE_S
from tests.support.tournament.spectators import cards_in

CUP = """
[tournament]
name = "cup"
seed = "served"
sets = {sets}
packs = "{packs}"
tables = 4
[time]
per_decision = "60s"
[[variant]]
name = "euchre"
"""
GONE = (URLError, HTTPException, ConnectionError, TimeoutError)
"""What a browser gets once the server has ended."""


@pytest.fixture(autouse=True)
def _runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a folder of sockets of its own, which the commands that it starts inherit."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture
def bowerbird(tmp_path: Path) -> Bowerbird:
    return Bowerbird(tmp_path)


def started(bowerbird: Bowerbird, packs: str, sets: int, third: Path) -> tuple[subprocess.Popen[str], str]:
    """Start a tournament of three bots with its pages; return it, when it is in the database, and their address."""
    bots = [bowerbird.bot("first", "draws"), bowerbird.bot("second", "draws"), third]
    file = bowerbird.tournament(CUP.format(packs=packs, sets=sets), *bots)
    process = bowerbird.start("tournament", file, "--db", "x.db", "--serve", "127.0.0.1:0")
    said = said_until(process, "the pages: ")
    found = re.search(r"the pages: (http://127\.0\.0\.1:\d+)/", said)
    assert found is not None, f"no address was printed: {said}"
    said_until(process, "commitment")
    return process, found[1]


def fetched(url: str) -> tuple[int, bytes]:
    """Return the status of a page and all its bytes."""
    try:
        with urlopen(url, timeout=DEADLINE_S) as answer:
            return answer.status, answer.read()
    except HTTPError as error:
        with error:
            return error.code, error.read()


def follow(address: str) -> Iterator[None]:
    """Follow the run as a browser does: stop after each change, ask again when a stream ends, until no server
    answers."""
    with suppress(*GONE):
        while True:
            with urlopen(f"{address}/runs/cup/events", timeout=DEADLINE_S) as stream:
                for line in stream:
                    if line.startswith(b"event: changed"):
                        yield


def test_a_run_is_served_until_browsers_have_seen_its_end(bowerbird: Bowerbird) -> None:
    process, address = started(bowerbird, OWN, 8, bowerbird.bot("third", "honest"))
    answers = [fetched(f"{address}/runs/cup.json") for _ in follow(address)]
    states = [json.loads(page)["state"] for status, page in answers if status == HTTPStatus.OK]
    _, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, said
    assert {status for status, _ in answers} <= {HTTPStatus.OK, HTTPStatus.SERVICE_UNAVAILABLE}, "or too busy to say"
    assert "playing" in states
    assert states[-1] == "complete", "the pages were gone before the end of the run was seen"
    with pytest.raises(GONE):
        urlopen(address, timeout=DEADLINE_S)


def test_a_port_that_is_taken_is_one_sentence_and_the_run_goes_on(bowerbird: Bowerbird) -> None:
    file = bowerbird.tournament(
        CUP.format(packs=OWN, sets=1), bowerbird.bot("first", "draws"), bowerbird.bot("second", "draws")
    )
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        finished = bowerbird("tournament", file, "--db", "x.db", "--serve", f"127.0.0.1:{port}")
    assert finished.returncode == 0, finished.stderr
    (line,) = [line for line in finished.stderr.splitlines() if "pages" in line]
    assert f"no pages: --serve 127.0.0.1:{port}: another program listens there" in line
    assert line.endswith("the run goes on without them")
    with Store.open(bowerbird.folder / "x.db") as store:
        assert store.run(None).row.ended is not None


def not_played_yet(db: Path, game: str) -> set[SetKey]:
    """Return the deal sets that are dealt the packs of a game and are not stored. Empty when the run is complete."""
    key = GameId.parse(game).set_key
    with Store.open(db) as store:
        run = store.run(None)
        if run.row.ended is not None:
            return set()
        stored = run.stored_sets()
    lineups = ("first+second", "first+third", "second+third")
    return {SetKey(key.entry, lineup, key.number) for lineup in lineups} - set(stored)


def words_of(page: bytes) -> str:
    """Return a page without its style sheet, scripts and policy, which hold no values of the run but may look as if
    they did."""
    text = page.decode()
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    return re.sub(r"<style>.*?</style>|<script>.*?</script>", "", text, flags=re.DOTALL)


def test_no_page_shows_a_card_that_is_dealt_again(bowerbird: Bowerbird) -> None:
    """With packs "common" the three line-ups get the same packs. Every page is read while the run is being played.

    The third bot waits until all pages have been read once: until then no packs are open.
    """
    gates = bowerbird.folder / "gates"
    gates.mkdir()
    gate = gates / "third"
    third = bowerbird.bot("third", "gated", GATE=str(gate))
    with (third / "bot.toml").open("a", encoding="utf-8") as manifest:
        manifest.write(f'[sandbox]\nread = ["{gates}"]\n')  # its own folder is a copy, in which no file appears
    process, address = started(bowerbird, COMMON, 12, third)
    db = bowerbird.folder / "x.db"
    early: list[str] = []
    refused: set[str] = set()
    shown: set[str] = set()
    pages = ("", "/tables", "/games", "/faults", "/bots/first", "/bots/third", "/pairs/first/third")
    with suppress(*GONE):
        while process.poll() is None:
            for path in ("/", "/index.json", *(f"/runs/cup{page}{form}" for page in pages for form in ("", ".json"))):
                _, text = fetched(f"{address}{path}")
                if cards := cards_in([words_of(text)]):
                    early.append(f"{path} shows {sorted(cards)}")
            for table in json.loads(fetched(f"{address}/runs/cup/tables.json")[1])["tables"]:
                early += _before_time(address, table["address"].replace("/tables/", "/games/"), db, refused, shown)
                status, text = fetched(f"{address}{table['address']}.json")
                document = json.loads(text)
                if status == 200 and document["in_play"]:
                    del document["marks"]  # which cards are bowers, for every card of the pack: a part of the rules
                    early += [
                        f"{table['game']} shows {cards}"
                        for cards in [cards_in([json.dumps(document, ensure_ascii=False)])]
                        if cards
                    ]
            games = json.loads(fetched(f"{address}/runs/cup/games.json")[1])["games"]
            for game in (*games[:2], *games[-4:]):
                early += _before_time(address, game["address"], db, refused, shown)
            if refused:
                gate.touch()
    _, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, said
    assert early == []
    assert refused, "no game was asked for before its packs were open"


def _before_time(address: str, path: str, db: Path, refused: set[str], shown: set[str]) -> list[str]:
    """Ask for the page of a game and its JSON. Return the parts of it that came too early."""
    found = []
    for form in ("", ".json"):
        status, text = fetched(f"{address}{path}{form}")
        game = path.removeprefix("/runs/").replace("/games/", "/")
        if status == 200:
            shown.add(game)
            if missing := not_played_yet(db, game):
                found.append(f"{path}{form} is shown before {min(missing)} is played")
        else:
            refused.add(game)
            if cards := cards_in([words_of(text)]):
                found.append(f"{path}{form} is refused and shows {sorted(cards)}")
    return found
