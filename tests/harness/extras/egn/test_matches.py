"""Matches in EMN: their games with the names of the match, what is refused, and matches of our own games (egn.md)."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from bowerbird.harness.extras.egn.errors import EgnError
from bowerbird.harness.extras.egn.fields import parse
from bowerbird.harness.extras.egn.match import MOST_GAMES, begins, games_of, written
from bowerbird.harness.extras.egn.notation import begins as begins_as_a_game
from tests.support.records.egn_files import base, match
from tests.support.records.played_games import game

Change = Callable[[dict[str, Any]], object]


def changed(change: Change) -> bytes:
    document = copy.deepcopy(match())
    change(document)
    return json.dumps(document).encode()


def test_each_game_has_the_names_of_the_match() -> None:
    games = games_of(json.dumps(match()).encode())
    assert [one.missing for one in games] == ["", ""]
    assert [parse(one.data).players for one in games] == [("Ann", "Bob", "Cid", "Dee"), ("Bob", "Eve", "Dee", "Cid")]


TAKEN: dict[str, Change] = {
    "games without names, as in the specification's example": lambda it: [
        one["gameData"]["metadata"].pop("players") for one in it["games"]
    ],
    "version 1.1": lambda it: it.update(version="1.1.3"),
    "version 1.0, with another name for the seats": lambda it: (
        it.update(version="1.0"),
        [one.update(players=one.pop("playersOverride")) for one in it["games"]],
    ),
    "players alone": lambda it: it.update(metadata={"players": it["metadata"]["players"]}),
    "a game of version 1.6": lambda it: it["games"][0]["gameData"].update(version="1.6"),
    "games that are missing": lambda it: it["games"][1].update(gameIndex=7),
}


@pytest.mark.parametrize("change", TAKEN.values(), ids=TAKEN.keys())
def test_matches_that_come_in(change: Change) -> None:
    assert len(games_of(changed(change))) == 2


REFUSED: dict[str, tuple[Change, str]] = {
    "a single game": (lambda it: it.update(fileType="Euchre Game Notation"), "this is a single game in EGN"),
    "another file": (lambda it: it.update(fileType="Chess"), 'fileType: is "Chess"'),
    "a version": (lambda it: it.update(version="2.0"), 'version: got "2.0"; must be one of 1.0, 1.1, 1.2'),
    "no games": (lambda it: it.update(games=[]), "games: must have at least one game"),
    "too many games": (lambda it: it.update(games=it["games"] * MOST_GAMES), f"must be at most {MOST_GAMES}"),
    "an unknown field": (lambda it: it.update(rounds=3), 'unknown field "rounds"'),
    "an unknown player": (
        lambda it: it["games"][1]["playersOverride"].__setitem__(0, "p-09"),
        'games[1].playersOverride[0]: got "p-09"; must be an id in metadata.players',
    ),
    "a team of strangers": (
        lambda it: it["metadata"]["teams"][0]["playerIds"].append("p-08"),
        'metadata.teams[0].playerIds[2]: got "p-08"',
    ),
    "a player twice": (
        lambda it: it["games"][0]["playersOverride"].__setitem__(0, "p-02"),
        "games[0].playersOverride: must name 4 different players",
    ),
    "three players": (lambda it: it["games"][0]["playersOverride"].pop(), "must name 4 different players"),
    "an id twice": (lambda it: it["metadata"]["players"][1].update(id="p-01"), 'players[1].id: got "p-01"'),
    "a format": (lambda it: it["metadata"]["matchFormat"].update(type="LADDER"), 'matchFormat.type: got "LADDER"'),
    "a state": (lambda it: it["metadata"]["result"].update(status="OVER"), 'result.status: got "OVER"'),
    "a date": (lambda it: it["metadata"].update(date="yesterday"), "metadata.date: got"),
    "games out of turn": (
        lambda it: it["games"][1].update(gameIndex=0),
        "games[1].gameIndex: got 0, but the game before has 0",
    ),
    "no game": (lambda it: it["games"][0].update(gameData=[]), "games[0].gameData: must be a game in EGN"),
    "a packed deal": (
        lambda it: it["games"][1]["gameData"].update(deals=["AAEC"]),
        "games[1].gameData: deals[0]: is packed",
    ),
    "a match in a match": (
        lambda it: it["games"][0].update(gameData=match()),
        "games[0].gameData: this is an EGN match",
    ),
}


@pytest.mark.parametrize(("change", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_matches_that_contradict_the_specification_are_refused(change: Change, sentence: str) -> None:
    with pytest.raises(EgnError) as caught:
        games_of(changed(change))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_beginning_of_a_file_tells_a_match_from_a_game() -> None:
    """A match holds games, so it may have all the words of a game; a game may not have the words of a match."""
    found = {kind: [begins(data), begins_as_a_game(data)] for kind, data in {
        "match": json.dumps(match()).encode(),
        "game": json.dumps(base()).encode(),
        "neither": b'{"fileType": "Chess"}',
    }.items()}  # fmt: skip
    assert found["match"][0]
    assert found["game"] == [False, True]
    assert found["neither"] == [False, False]


def test_our_games_go_out_as_a_match_and_come_back() -> None:
    records = [game("euchre", seed, options={"max_hands": 2}) for seed in range(3)]
    text, left = written("autumn", [*records, game("buck", 0, options={"max_hands": 2})])
    assert list(left.values()) == [1]
    document = json.loads(text)
    assert document["metadata"]["matchFormat"] == {"type": "FIXED_GAMES", "target": 3}
    for one in document["games"]:
        assert len(set(one["playersOverride"])) == 4, "a bot that sits twice is two players"
    back = [one.record for one in games_of(text.encode())]
    for record, again in zip(records, back, strict=True):
        assert again is not None
        assert [hand.actions for hand in again.hands] == [hand.actions for hand in record.hands]
        assert [seat.bot for seat in again.seats] == [seat.bot for seat in record.seats]


def test_a_match_without_a_game_is_no_match() -> None:
    assert written("autumn", [game("buck", 0, options={"max_hands": 1})])[0] == ""
