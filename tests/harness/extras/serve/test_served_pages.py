"""The pages of a real server: every address, its JSON, the law of the open hand (pages.md, Live pages)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.records.played_games import WORDS
from tests.support.records.stored_runs import store_run
from tests.support.serving import Served, served

VARIANTS = ("euchre", "buck", "seven-handed")


@dataclass(frozen=True)
class Pages:
    """A server of a complete run and of one that is not."""

    server: Served
    db: Path
    complete: str
    unfinished: str


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, processes: None) -> Iterator[Pages]:
    db = tmp_path_factory.mktemp("serve") / "x.db"
    complete = store_run(db, variants=VARIANTS, sets=range(2), faulty={1}, noted={0, 1})
    unfinished = store_run(db, variants=VARIANTS, sets=range(2), faulty={1}, noted={0, 1}, name="winter", end=False)
    with served(db) as server:
        yield Pages(server, db, complete, unfinished)


def test_every_link_of_every_page_leads_to_a_page(pages: Pages) -> None:
    """From the first page on, but for the many games: five replays are opened."""
    seen: dict[str, int] = {}
    wanted = ["/"]
    replays = 0
    while wanted:
        path = wanted.pop()
        if path in seen:
            continue
        is_replay = re.search(r"/games/[^/]+/[^/]+/", path) is not None
        replays += is_replay
        if is_replay and replays > 5:
            continue
        answer = pages.server.get(path)
        seen[path] = answer.status
        assert answer.headers["content-type"] == "text/html; charset=utf-8", path
        links = [unescape(link) for link in re.findall(r'<(?:a|link rel="alternate")[^>]* href="([^"]*)"', answer.text)]
        for link in links:
            found = urlsplit(urljoin(path, link))
            assert not found.netloc, f"{path} links to another server: {link}"
            if not found.path.endswith(".json"):
                wanted.append(found.path + (f"?{found.query}" if found.query else ""))
    wrong = {path: status for path, status in seen.items() if status != 200 and pages.unfinished not in path}
    assert not wrong
    assert len(seen) > 40
    kinds = ("/bots/", "/pairs/", "/games?", "/faults", f"/runs/{pages.complete}/games/")
    assert all(any(kind in path for path in seen) for kind in kinds)


@pytest.mark.parametrize("part", ["", "/tables", "/games", "/faults", "/bots/ann", "/pairs/ann/bob"])
def test_every_page_has_its_json(pages: Pages, part: str) -> None:
    document = pages.server.json(f"/runs/{pages.complete}{part}.json")
    name = document["run"]["name"] if part == "" else document["name"]
    assert name == "autumn"


def test_home_lists_the_runs_with_their_state(pages: Pages) -> None:
    runs = {run["run"]: run for run in pages.server.json("/index.json")["runs"]}
    assert {run: one["state"] for run, one in runs.items()} == {
        pages.complete: "complete",
        pages.unfinished: "unfinished",
    }


def test_a_run_can_be_named_by_its_name_but_not_by_a_beginning(pages: Pages) -> None:
    assert pages.server.get("/runs/autumn").status == 200
    answer = pages.server.get(f"/runs/{pages.complete[:6]}")
    assert answer.status == 404
    assert "There is no run" in answer.text


def test_hands_of_a_run_whose_packs_may_be_dealt_again_are_not_shown(pages: Pages) -> None:
    """Its bots are not known here, so that nobody can say who still gets these packs (packs = "common")."""
    games = pages.server.json(f"/runs/{pages.unfinished}/games.json")["games"]
    assert games
    assert not any(game["shown"] for game in games)
    answer = pages.server.get(games[0]["address"])
    assert answer.status == 403
    assert "played again" in answer.text
    assert "data-card" not in answer.text
    assert "frames" not in answer.text
    assert pages.server.json(games[0]["address"] + ".json").keys() == {"run", "name", "game", "shown", "why"}


@pytest.mark.parametrize("part", ["", "/faults", "/bots/ann", "/bots/bob"])
def test_stories_of_faults_wait_for_their_packs_too(pages: Pages, part: str) -> None:
    """They hold the legal actions, which name cards."""
    stories = pages.server.json(f"/runs/{pages.unfinished}{part}.json")["faults"]
    assert stories or part
    assert all(not (story["legal"] or story["words"] or story["detail"] or story["log"]) for story in stories)
    told = pages.server.json(f"/runs/{pages.complete}{part}.json")["faults"]
    assert not told or any(story["legal"] or story["detail"] for story in told)


def test_notes_of_bots_wait_for_their_packs_too(pages: Pages) -> None:
    """A note may name cards."""
    for run, is_open in ((pages.unfinished, False), (pages.complete, True)):
        with Store.open(pages.db) as store:
            game = next(game for game in store[run].game_ids() if store.notes(game))
        path = f"/runs/{run}/games/{game.partition('/')[2]}"
        answers = [pages.server.get(path), pages.server.get(f"{path}.json")]
        assert [answer.status for answer in answers] == [200, 200] if is_open else [403, 403]
        assert (WORDS[0] in answers[0].text) == is_open
        assert WORDS[0] not in answers[1].text


def test_a_replay_is_the_record(pages: Pages) -> None:
    game = pages.server.json(f"/runs/{pages.complete}/games.json")["games"][0]
    document = pages.server.json(game["address"] + ".json")
    with Store.open(pages.db) as store:
        assert document["record"] == store.record_text(game["game"])
    assert "all games" in pages.server.get(game["address"]).text


@pytest.mark.parametrize("path", ["/", "/runs/autumn", "/runs/autumn/games", "/nothing", "/runs/nobody"])
def test_every_answer_is_strict_about_what_a_browser_may_do(pages: Pages, path: str) -> None:
    headers = pages.server.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in headers
    assert "server" not in headers


def test_a_page_that_has_not_changed_is_not_sent_again(pages: Pages) -> None:
    first = pages.server.get("/runs/autumn")
    again = pages.server.get("/runs/autumn", If_None_Match=first.headers["etag"])
    assert (again.status, again.text) == (304, "")


def test_no_page_tells_where_the_database_lies(pages: Pages) -> None:
    for path in ("/", "/runs/nobody", "/runs/autumn/games/x/y/0/0", "/runs/autumn/faults.json", "/metrics"):
        assert str(pages.db.parent) not in pages.server.get(path).text


def test_monitors_and_robots_have_their_pages(pages: Pages) -> None:
    assert pages.server.get("/health").text == "ok\n"
    assert "Disallow: /" in pages.server.get("/robots.txt").text
    text = pages.server.get("/metrics").text
    labels = r'(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})?'
    form = re.compile(rf"# (HELP|TYPE) bowerbird_.+|bowerbird_[a-z_]+{labels} [0-9.]+")
    assert [line for line in text.splitlines() if not form.fullmatch(line)] == []
    assert 'bowerbird_requests_total{status="200"}' in text


@pytest.mark.usefixtures("processes")
def test_below_a_prefix_every_link_has_it(tmp_path: Path) -> None:
    store_run(tmp_path / "x.db", variants=("euchre",))
    with served(tmp_path / "x.db", "--prefix", "/games/euchre") as server:
        for path in ("/games/euchre/", "/games/euchre/runs/autumn", "/runs/autumn"):
            answer = server.get(path)
            assert answer.status == 200
            links = re.findall(r'href="(/[^"]*)"', answer.text)
            assert links
            assert all(link.startswith("/games/euchre/") for link in links)


@pytest.mark.usefixtures("processes")
def test_a_proxy_is_believed_only_where_asked(tmp_path: Path) -> None:
    store_run(tmp_path / "x.db", variants=("euchre",))
    with served(tmp_path / "x.db") as server:
        assert 'href="/evil' not in server.get("/", X_Forwarded_Prefix="/evil").text
    with served(tmp_path / "x.db", "--behind-proxy") as server:
        assert 'href="/euchre/runs/' in server.get("/", X_Forwarded_Prefix="/euchre", Host="example.org").text
        assert "evil" not in server.get("/", X_Forwarded_Prefix="//evil.example").text


@pytest.mark.usefixtures("processes")
def test_new_results_show_without_a_restart_and_a_database_that_vanishes_is_said(tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    store_run(db, variants=("euchre",))
    with served(db) as server:
        assert [run["name"] for run in server.json("/index.json")["runs"]] == ["autumn"]
        store_run(db, variants=("euchre",), name="winter")
        for _ in server.changes():
            if len(server.json("/index.json")["runs"]) == 2:
                break
        assert len(server.json("/index.json")["runs"]) == 2, "no event told of the new run"
        for file in tmp_path.iterdir():
            file.unlink()
        assert server.get("/health").status == 503
        assert server.get("/runs/autumn/faults").status == 404
