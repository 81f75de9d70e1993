"""Matches in Euchre Match Notation 1.2 (`.emn`): games in EGN with one list of all their players.

Input: the file of a match, or the records of a run. Output: a separate EGN file for each game, with the names of the
match's players, like those of the notation's own extractor; or the text of a match.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from bowerbird.harness.extras.egn import notation
from bowerbird.harness.extras.egn.errors import EgnError
from bowerbird.harness.extras.egn.fields import Field, check_date, is_of_type, loaded, opened, player_name, quoted, says
from bowerbird.harness.extras.egn.game import FILE_TYPE, MATCH_FILE_TYPE, SEATS
from bowerbird.harness.extras.egn.writer import document_of
from bowerbird.harness.records.notation import ForeignGame
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.text.bounded_file import read_bounded
from bowerbird.harness.records.values.game_record import GameRecord

MAX_BYTES = 1 << 24
MOST_GAMES = 1000
VERSION = "1.2"
_SEATS = {"1.0": "players", "1.1": "playersOverride", "1.2": "playersOverride"}
"""The field of a game with its seating, by version."""
_FORMATS = (
    "BEST_OF_N",
    "PROGRESSIVE",
    "ROUND_ROBIN",
    "CUSTOM",
    "FIXED_GAMES",
    "TARGET_SCORE",
    "ELIMINATION",
    "SWISS",
    "TIMED",
    "SINGLE_GAME",
)
_STATES = ("COMPLETED", "IN_PROGRESS", "FORFEIT", "DRAW")
_MOST_PLAYERS = 1000
_ID, _TITLE, _TEXT = 64, 128, 1024

keep = notation.keep


def read_file(path: Path) -> list[ForeignGame]:
    """Read a match and judge its games. Raises EgnError with the path, StoreError if the file is too long, OSError."""
    try:
        return games_of(read_bounded(path, MAX_BYTES, "match in EMN"))
    except EgnError as error:
        raise EgnError(f"{shown(str(path))}: {error}") from None


def begins(beginning: bytes) -> bool:
    """Return whether a file that begins with these bytes is a match in EMN. The types of its games come later."""
    return says(beginning, MATCH_FILE_TYPE)


def games_of(data: bytes) -> list[ForeignGame]:
    """Return the games of a match in order. Raises EgnError with the field."""
    value = loaded(data)
    if is_of_type(value, FILE_TYPE):
        raise EgnError("this is a single game in EGN, not a match: end its name in .egn")
    whole = opened(value, MATCH_FILE_TYPE, "games")
    version = whole["version"].text(32)
    if (minor := ".".join(version.split(".")[:2])) not in _SEATS:
        whole["version"].fail(f"got {quoted(version)}; must be one of {', '.join(_SEATS)}")
    players = _players(whole["metadata"])
    entries = whole["games"].list(MOST_GAMES)
    if not entries:
        whole["games"].fail("must have at least one game")
    return _games(entries, players, _SEATS[minor])


def _players(field: Field) -> dict[str, str]:
    """Return the names of a match's players by id, and check the rest of its metadata."""
    names = ("matchId", "title", "description", "date", "teams", "players", "matchFormat", "result")
    found = field.object(("players",), names)
    check_date(found)
    for name, most in (("matchId", _ID), ("title", _TITLE), ("description", _TEXT)):
        if name in found:
            found[name].text(most)
    players: dict[str, str] = {}
    for one in found["players"].list(_MOST_PLAYERS):
        name, told = player_name(one), one.object(("id", "name"), ("id", "name", "playerIds"))
        if (key := told["id"].text(_ID)) in players:
            told["id"].fail(f"got {quoted(key)}, the id of an earlier player")
        players[key] = name
    for team in found["teams"].list(_MOST_PLAYERS) if "teams" in found else ():
        told = team.object(("id", "name"), ("id", "name", "playerIds", "color"))
        for member in told["playerIds"].list(_MOST_PLAYERS) if "playerIds" in told else ():
            _known(member, players)
    if "matchFormat" in found:
        told = found["matchFormat"].object(("type",), ("type", "target"))
        told["type"].one_of(*_FORMATS)
        if "target" in told:
            told["target"].whole(1)
    if "result" in found:
        told = found["result"].object((), ("status", "winner", "scores"))
        if "status" in told:
            told["status"].one_of(*_STATES)
    return players


def _known(field: Field, players: dict[str, str]) -> str:
    """Return the id of a player of the match."""
    key = field.text(_ID)
    if key not in players:
        field.fail(f"got {quoted(key)}; must be an id in metadata.players")
    return key


def _games(entries: Sequence[Field], players: dict[str, str], seated: str) -> list[ForeignGame]:
    games: list[ForeignGame] = []
    last = -1
    names = ("gameIndex", seated, "gameData")
    for entry in entries:
        found = entry.object(required=names, allowed=names)
        number = found["gameIndex"].whole(0)
        if number <= last:
            found["gameIndex"].fail(f"got {number}, but the game before has {last}")
        last = number
        seats = [_known(key, players) for key in found[seated].list(SEATS)]
        if len(set(seats)) != SEATS:
            found[seated].fail(f"must name {SEATS} different players")
        try:
            games.append(notation.game_of(_with_names(found["gameData"], [players[seat] for seat in seats])))
        except EgnError as error:
            raise EgnError(f"{found['gameData'].place}: {error}") from None
    return games


def _with_names(field: Field, names: Sequence[str]) -> bytes:
    """Return a game as the bytes of a file, with the names of its players in the match."""
    game = field.value
    if not isinstance(game, dict) or not isinstance(game.get("metadata"), dict):
        field.fail("must be a game in EGN")
    return f"{json.dumps(game | {'metadata': game['metadata'] | {'players': list(names)}}, indent=2)}\n".encode()


def written(title: str, records: Iterable[GameRecord]) -> tuple[str, Counter[str]]:
    """Return games as the text of a match, and the reasons why EGN cannot represent the others, with their numbers.

    A bot is a team, and each of its places at a table is a player. The text is "" if the match would have no games.
    Raises EgnError for more games than a match may have here, RecordError.
    """
    left: Counter[str] = Counter()
    players: dict[tuple[str, int], str] = {}
    games: list[dict[str, object]] = []
    for record in records:
        try:
            game = document_of(record)
        except EgnError as error:
            left[str(error)] += 1
            continue
        if len(games) == MOST_GAMES:
            raise EgnError(f"a match holds at most {MOST_GAMES:,} games; write a file for each game: --format egn")
        seated: Counter[str] = Counter()
        seats = []
        for seat in record.seats:
            seats.append(players.setdefault((seat.bot, seated[seat.bot]), f"p-{len(players) + 1:02}"))
            seated[seat.bot] += 1
        games.append({"gameIndex": len(games), "playersOverride": seats, "gameData": game})
    if not games:
        return "", left
    teams = {bot: [key for (name, _), key in players.items() if name == bot] for bot, _ in players}
    document = {
        "fileType": MATCH_FILE_TYPE,
        "version": VERSION,
        "metadata": {
            "title": title[:_TITLE],
            "teams": [
                {"id": f"team-{number:02}", "name": bot[:_ID], "playerIds": keys}
                for number, (bot, keys) in enumerate(teams.items(), start=1)
            ],
            "players": [{"id": key, "name": bot[:_ID]} for (bot, _), key in players.items()],
            "matchFormat": {"type": "FIXED_GAMES", "target": len(games)},
        },
        "games": games,
    }
    return f"{json.dumps(document, indent=2)}\n", left
