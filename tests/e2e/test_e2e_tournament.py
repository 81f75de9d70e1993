"""A tournament from its file to its standings (commands.md, `bowerbird tournament`; ratings.md, Deal sets)."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.records.every_game import every_game

TWO_VARIANTS = """
[tournament]
seed = "end to end"
sets = 2
tables = 16
instances = "shared"
[[variant]]
name = "euchre"
[[variant]]
name = "buck"
options = { start = 10 }
"""


def _records(database: Path) -> dict[str, str]:
    """Return every stored record by the id of its game."""
    with Store.open(database) as store:
        return {game.id: store.record_text(game.id) for game in every_game(store)}


def _without_times(record: str) -> str:
    """Return a record without measured values, and without the digest, which covers them."""
    return re.sub(r"(?m)^(ms|elapsed_ms|sha256) = .*$", r"\1", record)


@pytest.mark.long
def test_one_seed_plays_the_same_games_twice(bowerbird: Bowerbird) -> None:
    file = bowerbird.tournament(TWO_VARIANTS, bowerbird.bundled("greedy"), bowerbird.bundled("random"))
    for database in ("first.db", "second.db"):
        bowerbird.done("tournament", file, "--db", database, "--quiet")
    first, second = (_records(bowerbird.folder / name) for name in ("first.db", "second.db"))
    assert list(first) == list(second)
    assert len(first) == 2 * 2 + 2 * 4, "two sets: 2 mirrored games of euchre, 4 rotations of buck"
    for game, record in first.items():
        assert _without_times(record) == _without_times(second[game]), f"game {game} was played differently"


def test_export_writes_the_stored_record_byte_for_byte(bowerbird: Bowerbird) -> None:
    file = bowerbird.tournament(TWO_VARIANTS, bowerbird.bot("one", "honest"), bowerbird.bot("two", "honest"))
    bowerbird.done("tournament", file, "--db", "x.db", "--quiet")
    game, record = next(iter(_records(bowerbird.folder / "x.db").items()))
    bowerbird.done("export", game, "--db", "x.db", "-o", "game.toml")
    assert (bowerbird.folder / "game.toml").read_bytes() == record.encode()
    assert bowerbird.done("export", game, "--db", "x.db") == record
    assert bowerbird.json("export", game, "--db", "x.db")["id"] == game


def test_one_bot_under_two_names_differs_by_nothing_in_every_set(bowerbird: Bowerbird) -> None:
    greedy = bowerbird.bundled("greedy")
    file = bowerbird.tournament(TWO_VARIANTS, greedy)
    with file.open("a", encoding="utf-8") as text:
        text.write('[[bot]]\npath = "bots/greedy"\nname = "greedy-b"\n')
    bowerbird.done("tournament", file, "--db", "x.db", "--quiet")
    differences: dict[tuple[str, int], int] = defaultdict(int)
    with Store.open(bowerbird.folder / "x.db") as store:
        for game in every_game(store):
            points = {"greedy": 1, "greedy-b": -1}
            for bot, score in zip(game.bots, game.scores, strict=True):
                differences[game.entry, game.set_number] += points[bot] * score
    assert dict(differences) == dict.fromkeys([("buck-0", 0), ("buck-0", 1), ("euchre-0", 0), ("euchre-0", 1)], 0), (
        "in each set the two names must make the same points"
    )


def test_standings_of_a_run_are_complete(bowerbird: Bowerbird) -> None:
    file = bowerbird.tournament(TWO_VARIANTS, bowerbird.bundled("greedy"), bowerbird.bot("first", "honest"))
    told = bowerbird("tournament", file, "--db", "x.db")
    assert told.returncode == 0, told.stderr
    assert "sha256:" in told.stderr, "the commitment to the seed is shown"
    assert "4 of 4 deal sets" in told.stderr
    standings = bowerbird.json("standings", "--db", "x.db")
    assert set(standings["variants"]) == {"buck", "euchre"}
    for scope in (standings["overall"], *standings["variants"].values()):
        assert {line["bot"] for line in scope["standings"]} == {"greedy", "first"}
        assert {(cell["bot"], cell["opponent"]) for cell in scope["crosstable"]} == {
            ("greedy", "first"),
            ("first", "greedy"),
        }
        assert "0" in scope["basis"], "the zero of the scale is named"
        best, last = scope["standings"]
        assert best["los_next"] >= 0.5
        assert last["rank"] >= best["rank"] == 1
    text = bowerbird.done("standings", "cup", "--full", "--db", "x.db")
    for part in ("euchre", "buck", "all variants", "points/deal", "p99 ms", "against", "complete"):
        assert part in text
    assert len(bowerbird.json("matches", "cup", "--variant", "buck", "--db", "x.db")) == 8
    (run,) = bowerbird.json("runs", "--db", "x.db")
    assert (run["name"], run["games"], run["practice"]) == ("cup", 12, True)
    assert run["seed"], "the seed is published when the run has ended"


def test_replay_for_a_seat_shows_no_card_that_it_did_not_know(bowerbird: Bowerbird) -> None:
    bots = bowerbird.bot("one", "honest"), bowerbird.bot("two", "honest")
    bowerbird.done("match", *bots, "--variant", "euchre", "--sets", "1", "--db", "x.db", "--quiet")
    game = bowerbird.json("matches", "--db", "x.db")[0]["id"]
    whole = bowerbird.done("replay", game, "--hand", "0", "--db", "x.db")
    mine = bowerbird.done("replay", game, "--hand", "0", "--seat", "1", "--db", "x.db")
    assert whole != mine
    steps = bowerbird.json("replay", game, "--hand", "0", "--seat", "1", "--db", "x.db")["steps"]
    assert steps
    assert all("hand" in step["view"] for step in steps)
    assert all(step["view"]["seat"] == 1 for step in steps), "only views of that seat"


def test_match_numbers_the_copies_of_a_bot(bowerbird: Bowerbird) -> None:
    bot = bowerbird.bot("one", "honest")
    options = ["--variant", "buck", "--option", "start=5", "--sets", "1", "--seed", "copies"]
    standings = bowerbird.json("match", bot, bot, *options, "--db", "x.db", "--quiet")
    assert {line["bot"] for line in standings["overall"]["standings"]} == {"one", "one-2"}


def test_deals_are_single_hands(bowerbird: Bowerbird) -> None:
    bots = bowerbird.bot("one", "honest"), bowerbird.bot("two", "honest")
    bowerbird.done("match", *bots, "--variant", "euchre", "--deals", "--sets", "3", "--db", "x.db", "--quiet")
    games = bowerbird.json("matches", "--db", "x.db")
    assert [game["hands"] for game in games] == [1] * 6


def test_run_that_is_complete_plays_nothing_twice(bowerbird: Bowerbird) -> None:
    file = bowerbird.tournament(TWO_VARIANTS, bowerbird.bot("one", "honest"), bowerbird.bot("two", "honest"))
    bowerbird.done("tournament", file, "--db", "x.db", "--quiet")
    before = _records(bowerbird.folder / "x.db")
    again = bowerbird("tournament", file, "--db", "x.db")
    assert again.returncode == 0, again.stderr
    assert "4 deal sets already stored" in again.stderr
    assert _records(bowerbird.folder / "x.db") == before
