"""Every outcome has a story: what standings, matches and replay report of a fault, and where its log is."""

from __future__ import annotations

import pytest

from tests.support.command.bowerbird_command import Bowerbird

FILE = """
[tournament]
seed = "stories"
sets = 1
instances = "shared"
[[variant]]
name = "euchre"
"""

WORDS = "the queen of spades is missing"


@pytest.fixture
def crashed(bowerbird: Bowerbird) -> Bowerbird:
    """Return a run in which bot bad exits with status 3 at its second decision."""
    bots = bowerbird.bot("one", "honest"), bowerbird.bot("bad", "exits", "1")
    bowerbird.done("tournament", bowerbird.tournament(FILE, *bots), "--db", "results/x.db", "--quiet")
    return bowerbird


def test_each_display_of_a_fault_has_its_story(crashed: Bowerbird) -> None:
    [first, *_] = crashed.json("standings", "--db", "results/x.db")["faults"]
    game, seat, log = first["game"], first["seat"], crashed.folder / "results" / first["log"]
    assert (first["kind"], first["detail"], first["how_ended"]) == ("CRASHED", "exit status 3", "exit status 3")
    assert first["limit_ms"] == 6020
    assert len(first["legal"]) > 1, "the decision that was open"
    assert first["stderr"].strip() == WORDS
    assert WORDS in log.read_text(), "the full log, below the folder of the run"
    assert log.parent.name == game.partition("/")[0]

    parts = [
        f"CRASHED of bad, seat {seat}, game {game}: exit status 3",
        f"hand {first['hand']}, action {first['action']}, after {first['elapsed_ms']} ms of 6020 ms",
        "to decide: " + ", ".join(first["legal"]),
        "process: exit status 3",
        WORDS,
        f"full log: results/{first['log']}",
    ]
    standings = crashed.done("standings", "--db", "results/x.db")
    assert f"bowerbird matches {game.partition('/')[0]} --faults" in standings, "the command that shows all of them"
    assert "process: exit status 3" in crashed.done("standings", "--full", "--db", "results/x.db")
    matches = crashed.done("matches", "--faults", "--db", "results/x.db")
    for part in parts:
        assert part in matches
    replay = crashed.done("replay", game, "--db", "results/x.db")
    for part in parts[2:]:
        assert part in replay
    assert f"CRASHED of seat {seat} (bad), {first['elapsed_ms']} ms of 6020 ms: exit status 3" in replay


def test_stories_are_values_for_programs(crashed: Bowerbird) -> None:
    games = crashed.json("matches", "--faults", "--db", "results/x.db")
    assert games
    for game in games:
        assert [story["how_ended"] for story in game["stories"]] == ["exit status 3"]
        replay = crashed.json("replay", game["id"], "--db", "results/x.db")
        assert replay["stories"] == game["stories"]
        seat = game["stories"][0]["seat"]
        others = crashed.json("replay", game["id"], "--seat", str(1 - seat % 2), "--db", "results/x.db")
        assert others["stories"] == [], "another seat's legal actions would show its cards"


def test_games_without_faults_are_left_out(played: Bowerbird) -> None:
    assert played.json("matches", "--faults", "--db", "x.db") == []
    assert "faults (all" not in played.done("standings", "--db", "x.db")


def test_records_stay_what_they_were(crashed: Bowerbird) -> None:
    """The story differs between two runs of one seed. The record does not contain it and must not differ."""
    [game, *_] = crashed.json("matches", "--faults", "--db", "results/x.db")
    record = crashed.done("export", game["id"], "--format", "toml", "--db", "results/x.db")
    assert WORDS not in record
    assert ".log" not in record
    crashed.done("verify", "--db", "results/x.db")
