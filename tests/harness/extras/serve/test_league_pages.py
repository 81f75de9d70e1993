"""The pages of a league: seasons, versions of bots, deal sets of the epoch (pages.md, Live pages)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest

from bowerbird.harness.extras.serve.addresses import Addresses
from bowerbird.harness.extras.serve.pages.league_pages import (
    EPOCHS_ON_A_PAGE,
    EVENTS,
    MOST_CROSSED,
    MOST_CURVES,
    MOST_ROWS,
)
from bowerbird.harness.extras.serve.pages.reports import Reports
from bowerbird.harness.extras.serve.pages.season_view import without_paths
from bowerbird.harness.extras.serve.pages_cache import Answer
from bowerbird.harness.extras.serve.site import Site
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.store.league import changing
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.league import RETIRED, Epoch, League
from tests.support.records.played_games import SEED, deal_set, header
from tests.support.records.stored_leagues import HIDDEN_FOLDER, HOSTILE, LEAGUE, league_bot, store_league
from tests.support.records.stored_runs import store_cup, store_run
from tests.support.serving import Served, served

PAGES = (
    "",
    "/seasons/1",
    "/seasons/2",
    "/bots/ann",
    "/bots/cat",
    "/bots/eve",
    "/seasons/1/bots/bob",
    "/schedule",
    "/schedule/1",
)


BOTS = 28


@dataclass(frozen=True)
class Pages:
    """A server of a league, and the runs of its present season."""

    server: Served
    db: Path
    runs: list[str]

    def league(self, part: str = "") -> Any:
        """Return the JSON of a page of the league."""
        return self.server.json(f"/leagues/{LEAGUE}{part}.json")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, processes: None) -> Iterator[Pages]:
    db = tmp_path_factory.mktemp("league") / "x.db"
    runs = store_league(db)
    store_run(db, variants=("euchre",), name="alone")
    with served(db) as server:
        yield Pages(server, db, runs)


def test_every_link_of_every_page_of_a_league_leads_to_a_page(pages: Pages) -> None:
    """Those that lead out of the league are followed no further."""
    seen: dict[str, int] = {}
    wanted = ["/"]
    while wanted:
        path = wanted.pop()
        if path in seen or "/games/" in path:
            continue
        answer = pages.server.get(path)
        seen[path] = answer.status
        if path != "/" and not path.startswith("/leagues/"):
            continue
        for link in re.findall(r'<(?:a|link rel="alternate")[^>]* href="([^"]*)"', answer.text):
            found = urlsplit(urljoin(path, unescape(link)))
            assert not found.netloc, f"{path} links to another server: {link}"
            wanted.append(found.path + (f"?{found.query}" if found.query else ""))
    assert not {path: status for path, status in seen.items() if status != 200}
    assert {f"/leagues/{LEAGUE}{part}" for part in ("", "/seasons/1", "/bots/ann", "/schedule")} <= seen.keys()
    assert f"/runs/{pages.runs[1]}/bots/cat" in seen, "an author comes to the games of a suspended bot"


@pytest.mark.parametrize("part", PAGES)
def test_places_that_links_of_a_page_name_are_on_that_page(pages: Pages, part: str) -> None:
    text = pages.server.get(f"/leagues/{LEAGUE}{part}").text
    for path, place in re.findall(r'href="(/leagues/[^"#]*)#([^"]*)"', text):
        assert f'id="{place}"' in pages.server.get(path).text, f"{path} has no place {place}"


@pytest.mark.parametrize("part", PAGES)
def test_every_page_of_a_league_has_its_json(pages: Pages, part: str) -> None:
    document = pages.league(part)
    assert document["league"] == LEAGUE
    assert document["season"] == (1 if "seasons/1" in part else 2)


@pytest.mark.parametrize("part", PAGES)
def test_foreign_text_is_text_and_no_path_of_the_organiser_is_shown(pages: Pages, part: str) -> None:
    for ending in ("", ".json"):
        text = pages.server.get(f"/leagues/{LEAGUE}{part}{ending}").text
        assert HIDDEN_FOLDER not in text
        assert str(pages.db.parent) not in text
        assert not set(HOSTILE) & set("\x1b\u202e") & set(text)
        assert ending or "<script>alert" not in text


def test_sentences_keep_what_is_no_path() -> None:
    assert without_paths("/srv/a b/x.toml, line 3: 1/2 of [bot] </script> and/or '/opt/ada/bot.toml'") == (
        "a b/x.toml, line 3: 1/2 of [bot] </script> and/or 'bot.toml'"
    )


def test_the_first_page_lists_leagues_and_leaves_their_epochs_to_them(pages: Pages) -> None:
    document = pages.server.json("/index.json")
    (league,) = document["leagues"]
    assert (league["league"], league["season"], league["epoch"], league["bots"]) == (LEAGUE, 2, 3, 3)
    assert league["leader"]
    assert [run["name"] for run in document["runs"]] == ["alone"]


def test_a_run_of_a_league_leads_back_to_it(pages: Pages) -> None:
    document = pages.server.json(f"/runs/{pages.runs[1]}.json")
    assert document["epoch"] == {"league": LEAGUE, "season": 2, "epoch": 2, "address": f"/leagues/{LEAGUE}/seasons/2"}
    for part in ("", "/games", "/tables"):
        assert f'href="/leagues/{LEAGUE}/seasons/2"' in pages.server.get(f"/runs/{pages.runs[1]}{part}").text
    assert pages.server.json("/runs/alone.json")["epoch"] is None


def test_a_season_shows_the_standings_of_all_its_runs_and_who_does_not_play(pages: Pages) -> None:
    document = pages.league()
    names = [bot["name"] for bot in document["bots"]]
    played = {names[row["bot"]]: row["playing"] for row in document["scopes"][0]["rows"]}
    assert played.keys() == {"ann", "ann-2", "bob", "cat", "dan"}
    with Store.open(pages.db) as store:
        games = sum("bob" in game.bots for run in pages.runs for game in store[run].games())
    assert played["bob"][document["titles"]["playing"].index("games")] == str(games)
    assert document["waiting"] == ["eve"]
    assert {bot["bot"]: bot["status"] for bot in document["idle"]} == {
        "ann": "retired",
        "cat": "suspended",
        "dan": "withdrawn",
    }
    assert [epoch["number"] for epoch in document["epochs"]] == [3, 2, 1]
    assert document["epochs"][2]["archive"] == "autumn-s2-e1.tar.gz"
    assert "is not signed" in document["epochs"][1]["remark"]
    assert document["epochs"][0]["ended"] is None


def test_a_season_shows_its_own_events_bots_and_epochs(pages: Pages) -> None:
    old, new = pages.league("/seasons/1"), pages.league()
    assert [event["what"] for event in old["events"]] == ["season 1 has ended, season 2 begins"]
    assert old["events"][0]["number"] not in {event["number"] for event in new["events"]}
    assert [bot["name"] for bot in old["bots"]] == ["ann", "bob"]
    assert (old["state"], len(old["epochs"])) == ("complete", 1)


def test_the_tables_of_one_variant_have_a_page(pages: Pages) -> None:
    document = pages.server.json(f"/leagues/{LEAGUE}.json?variant=buck")
    assert [scope["variant"] for scope in document["scopes"]] == ["buck"]
    assert "Buck Euchre" in pages.server.get(f"/leagues/{LEAGUE}?variant=buck").text


def test_the_page_of_a_suspended_bot_says_why_with_the_stories_of_its_faults(pages: Pages) -> None:
    document = pages.league("/bots/cat")
    assert document["newest"]["status"] == "suspended"
    assert "withdrawn from the epoch" in document["newest"]["why"]
    assert document["stories"]["epoch"] == 2
    assert document["stories"]["faults"]
    assert all(story["legal"] for story in document["stories"]["faults"])
    assert document["stories"]["address"] == f"/runs/{pages.runs[1]}/bots/cat#faults"
    text = pages.server.get(f"/leagues/{LEAGUE}/bots/cat").text
    assert "A new version lifts the suspension" in text
    assert "the queen" in text, "what the bot printed last"


def test_the_page_of_a_bot_has_all_its_versions_and_compares_each_with_the_one_before(pages: Pages) -> None:
    document = pages.league("/bots/ann")
    assert [version["name"] for version in document["versions"]] == ["ann-2", "ann"]
    second, first = document["versions"]
    assert first["lead"] is None
    assert second["lead"]["over"] == "ann"
    assert second["lead"]["verdict"] == "not settled", "so few deal sets settle nothing"
    assert (first["status"], first["why"]) == ("retired", "ann-2 is better by about 20 Elo")
    assert [one["version"] for one in document["opponents"]] == ["ann-2", "ann"]
    assert {row["name"] for row in document["opponents"][0]["rows"]} == {"ann", "bob", "cat"}
    assert [(one["number"], [each["version"] for each in one["played"]]) for one in document["epochs"]] == [
        (3, ["ann-2"]),
        (2, ["ann-2", "ann"]),
        (1, ["ann"]),
    ]
    assert {event["bot"] for event in document["events"]} == {"ann", "ann-2"}
    assert pages.league("/bots/ann-2") == document, "a version leads to its bot"


def test_a_bot_that_has_not_played_yet_has_a_page(pages: Pages) -> None:
    document = pages.league("/bots/eve")
    assert (document["newest"]["elo"], document["newest"]["since"], document["opponents"]) == ("-", 4, [])


def test_the_schedule_has_the_deal_sets_of_the_open_epoch(pages: Pages) -> None:
    document = pages.league("/schedule")
    assert (document["of"]["number"], document["is_open"], document["number"]) == (3, True, 2)
    pair = [{"bot": "ann-2", "seats": 1}, {"bot": "bob", "seats": 1}]
    assert [(one["variant"], one["bots"]) for one in document["sets"]] == [("buck", pair), ("euchre", pair)]


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/leagues/autum", "unknown league 'autum', did you mean 'autumn'?"),
        ("/leagues/autumn/bots/bbo", "unknown bot 'bbo', did you mean 'bob'?"),
        ("/leagues/autumn/seasons/3", "season 3 of league autumn has not begun; the current one is 2"),
        ("/leagues/autumn/seasons/0", "season 0 of league autumn has not begun; the current one is 2"),
        ("/leagues/autumn/seasons/one", "there is no such page"),
        ("/leagues/autumn/seasons/1/schedule/2", "season 1 of league autumn has no epoch 2"),
        ("/leagues/autumn/schedule/first", "there is no such page"),
        ("/leagues/autumn/nothing", "there is no such page"),
        ("/leagues/autumn/bots/..%2f..%2fetc", "there is no such page"),
        ("/leagues/%3Cscript%3E", "unknown league '<script>'; the only one is 'autumn'"),
    ],
)
def test_what_is_not_there_is_a_sentence_with_the_nearest_name(pages: Pages, path: str, sentence: str) -> None:
    answer = pages.server.get(f"{path}.json")
    assert (answer.status, json.loads(answer.text)["error"]) == (404, sentence)
    text = pages.server.get(path).text
    assert "<script>'" not in text
    assert unescape(text).count(sentence[1:]) == 1


def test_an_unknown_variant_of_a_season_is_a_sentence(pages: Pages) -> None:
    answer = pages.server.get(f"/leagues/{LEAGUE}.json?variant=bukc")
    assert (answer.status, json.loads(answer.text)["error"]) == (404, "unknown variant 'bukc', did you mean 'buck'?")


def test_the_present_season_moves_and_an_earlier_one_stands(pages: Pages) -> None:
    assert 'data-events="/events"' in pages.server.get(f"/leagues/{LEAGUE}").text
    assert "data-events" not in pages.server.get(f"/leagues/{LEAGUE}/seasons/1").text


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Return the pages of a long season.

    28 bots played, 110 left, and of 1,000 epochs one is still stored. 90 things happened.
    """
    db = tmp_path_factory.mktemp("large") / "x.db"
    run = store_cup(db, BOTS, ("five-handed",))
    with changing(db, "long") as change:
        change.put_league(League("long", "long.toml", "", 1, False, False, "2026-01-01T00:00:00Z"))
        for number in range(BOTS):
            change.put_bot(league_bot(f"bot-{number}"))
        for number in range(3 * EVENTS):
            change.tell(f"bot-{number % BOTS} is back", f"bot-{number % BOTS}")
        for number in range(110):
            change.put_bot(league_bot(f"old-{number}", status=RETIRED, why="a newer one is better by about 30 Elo"))
        for number in range(1, 1001):
            fingerprint = run if number == 1000 else f"gone-{number}"
            change.put_epoch(Epoch(number, fingerprint, "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z", "", "a remark"))
    return Site(db)


def made(site: Site, *path: str, **query: str) -> tuple[Answer, Any]:
    """Return a page of the long league, and its JSON."""
    addresses = Addresses()
    page = site.answer(("leagues", "long", *path), query, {}, addresses, as_json=False)
    return page, json.loads(site.answer(("leagues", "long", *path), query, {}, addresses, as_json=True).body)


def test_pages_of_a_long_season_stay_small(large: Site) -> None:
    page, document = made(large)
    assert page.status == 200
    assert len(document["epochs"]) == EPOCHS_ON_A_PAGE
    assert document["pages"] == 1000 // EPOCHS_ON_A_PAGE
    assert len(document["events"]) == EVENTS
    assert (len(document["idle"]), document["idle_more"]) == (MOST_ROWS, 10)
    assert (len(document["crossed"]), len(document["drawn"])) == (MOST_CROSSED, MOST_CURVES)
    assert f"{MOST_CROSSED} of {BOTS} bots" in page.body.decode()
    assert len(page.body) < 400_000
    bot, _ = made(large, "bots", "bot-1")
    assert len(bot.body) < 100_000


def test_epochs_are_paged_and_a_page_too_far_is_the_last_one(large: Site) -> None:
    assert [epoch["number"] for epoch in made(large, page="2")[1]["epochs"]][:2] == [975, 974]
    assert [epoch["number"] for epoch in made(large, page="999999")[1]["epochs"]][-1] == 1
    assert made(large, page="²")[1]["page"] == 1


def test_the_games_of_an_epoch_that_left_the_database_are_in_its_archive_alone(large: Site) -> None:
    page, document = made(large)
    assert (document["epochs"][1]["games"], document["epochs"][1]["address"]) == (None, "")
    assert "only in its archive" in page.body.decode()


TERMS = """[tournament]
unit = "games"
[[variant]]
name = "euchre"
[variant.options]
max_hands = {hands}
"""


def test_epochs_by_other_terms_are_rated_apart_and_their_tables_have_a_page(tmp_path: Path) -> None:
    """A bot that has played only by these terms has played."""
    db = tmp_path / "x.db"
    epochs = []
    for number, (bots, hands, sets) in enumerate([(("ann", "bob"), 1, 2), (("bob", "fay"), 2, 1)], 1):
        run = replace(header(f"autumn-s1-e{number}", bots=bots), config=TERMS.format(hands=hands))
        with Store.create(db) as store, store.begin(run, SEED) as writer:
            for place in range(sets):
                writer.save_set(*deal_set("euchre", place, run, bots=bots, options={"max_hands": hands}), digest_of([]))
            writer.end()
        epochs.append(Epoch(number, run.fingerprint, "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"))
    with changing(db, "long") as change:
        change.put_league(League("long", "long.toml", "", 1, False, False, "2026-01-01T00:00:00Z"))
        for bot in ("ann", "bob", "fay"):
            change.put_bot(league_bot(bot))
        for epoch in epochs:
            change.put_epoch(epoch)
    site = Site(db)
    _, document = made(site)
    assert document["waiting"] == []
    (apart,) = document["apart"]
    assert (apart["games"], apart["address"]) == (2, "/leagues/long?variant=euchre-apart-1")
    page, document = made(site, variant="euchre-apart-1")
    assert "with max_hands = 2" in page.body.decode()
    assert {document["bots"][row["bot"]]["name"] for row in document["scopes"][0]["rows"]} == {"bob", "fay"}


def test_an_epoch_that_waits_for_its_beacon_shows_what_it_has_promised(tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    config = '[tournament]\nbeacon = ""\nbeacon_source = "drand quicknet 1000"\n'
    run = replace(header("autumn-s1-e1"), config=config, beacon="")
    with Store.create(db) as store, store.begin(run, SEED):
        pass
    with changing(db, "long") as change:
        change.put_league(League("long", "long.toml", "", 1, False, False, "2026-01-01T00:00:00Z"))
        change.put_epoch(Epoch(1, run.fingerprint, "2026-01-01T00:00:00Z", None))
    site = Site(db)
    page, document = made(site)
    assert document["state"] == "waiting"
    assert "has committed to its seed and waits for its beacon" in page.body.decode()
    shown = site.answer(("runs", run.fingerprint), {}, {}, Addresses(), as_json=False).body.decode()
    assert run.commitment in shown
    assert "not known yet" in shown
    assert "round 1000 of drand quicknet, due at 2023-08-23 15:59:24 UTC" in shown


def test_while_an_epoch_is_played_its_season_is_not_rated_for_each_deal_set(tmp_path: Path) -> None:
    """Rating a long season takes long, and nobody else gets a page in the meantime."""
    db, reports = tmp_path / "x.db", Reports()
    store_league(db, variants=("euchre",))
    with Store.open(db) as store:
        season = store.season(LEAGUE)
        assert season is not None
        runs = [store.run(epoch.run) for epoch in season.epochs]
        first = reports.of_season(season, 2, runs, in_play=True)
        fewer = runs[:2]
        assert reports.of_season(season, 2, fewer, in_play=True) is first
        rated = reports.of_season(season, 2, fewer, in_play=False)
        assert rated is not first
        assert reports.of_season(season, 2, fewer, in_play=False) is rated
        came = replace(season, bots=(*season.bots, league_bot("fay")))
        assert "fay" in reports.of_season(came, 2, fewer, in_play=False).names


def test_a_page_that_cannot_be_drawn_ends_no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db = tmp_path / "x.db"
    store_league(db, variants=("euchre",))

    def broken(*_: object, **__: object) -> None:
        monkeypatch.undo()
        raise TypeError

    monkeypatch.setattr("bowerbird.harness.extras.serve.site.draw", broken)
    answer = Site(db).answer((), {}, {}, Addresses(), as_json=False)
    assert answer.status == 500
    assert "cannot be shown" in answer.body.decode()
