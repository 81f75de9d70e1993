"""Reads an EGN file and checks every field by the schema of version 1.6. An error names the field in a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from bowerbird.engine import did_you_mean
from bowerbird.harness.extras.egn import game as egn
from bowerbird.harness.extras.egn.errors import EgnError
from bowerbird.harness.records.quoting import shown

_VERSION = re.compile(r"1\.[2-6](\.[0-9]+)?")
_CARD = re.compile(r"[78N9TJQKAX][SsHhCcDdxtngh]|[LRB]")
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})?)?)?", re.ASCII)
_INDEX = re.compile(r"[0-9]+")
_CALLS = ("Pass", "Order", "s", "h", "d", "c", "n", "x")
_QUOTED = 60
_MOST_LINES = 50
_MOST_CARDS = 10
_LARGEST = 10**6

BIDDING, PLAY = "EUCHRE_BIDDING", "TRICK_PLAY"

FOREIGN_RULES = {
    "farmers": "farmer's hands, and EGN leaves open whether they are thrown in or exchanged",
    "fast_break": "the score of a fast break, which Bowerbird's euchre does not have",
    "four_trick_tokens": "tokens for four tricks, which Bowerbird's euchre does not have",
}
"""The rules of EGN that Bowerbird's euchre does not have, and why."""

Object = Mapping[str, object]


def opened(value: object, file_type: str, content: str) -> dict[str, Field]:
    """Return the fields of a file of this type; `content` is the field beside type, version and metadata."""
    names = ("fileType", "version", "metadata", content)
    whole = Field("", value).object(required=names, allowed=names)
    if (found := whole["fileType"].value) != file_type:
        whole["fileType"].fail(f'is {quoted(found)}, not "{file_type}"')
    return whole


def parse(data: bytes) -> egn.EgnGame:
    """Return the game in a file. Raises EgnError with the line of a JSON error, or with the field."""
    value = loaded(data)
    if is_of_type(value, egn.MATCH_FILE_TYPE):
        raise EgnError("this is an EGN match: end its name in .emn, and 'bowerbird import' imports each of its games")
    whole = opened(value, egn.FILE_TYPE, "deals")
    version = whole["version"].text(32)
    if not _VERSION.fullmatch(version):
        whole["version"].fail(f"got {quoted(version)}; must be a version from 1.2 to 1.6")
    deals = whole["deals"].list(egn.MOST_DEALS)
    told = _metadata(whole["metadata"])
    counted = _Counter()
    return egn.EgnGame(version=version, deals=tuple(_deal(deal, counted) for deal in deals), **told, **counted.found())  # type: ignore[arg-type] # the two functions return matching types


def loaded(data: bytes) -> object:
    """Return the content of a JSON file. Raises EgnError with the line."""
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise EgnError(f"byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise EgnError(f"line {error.lineno}, column {error.colno}: is not JSON, {error.msg}") from None
    except RecursionError:
        raise EgnError("its brackets are nested too deeply") from None
    except EgnError:
        raise
    except ValueError:
        raise EgnError("has a number with too many digits") from None


def is_of_type(value: object, file_type: str) -> bool:
    """Return whether the content of a file claims to be of a type."""
    return isinstance(value, dict) and value.get("fileType") == file_type


def says(beginning: bytes, file_type: str) -> bool:
    """Return whether the first bytes of a file claim that it is of a type."""
    return re.search(rb'"fileType"\s*:\s*"' + file_type.encode() + b'"', beginning) is not None


def _unique(pairs: Sequence[tuple[str, object]]) -> Object:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise EgnError(f"has the field {quoted(key)} twice in one object")
        found[key] = value
    return found


def _no_constant(text: str) -> NoReturn:
    raise EgnError(f"has {text}, which is not a JSON number")


def quoted(value: object) -> str:
    """Return a value as in the file, shortened."""
    return shown(json.dumps(value, ensure_ascii=False), _QUOTED)


class Field:
    """A value and its place in the file, such as `deals[3].initialState.dealer`."""

    def __init__(self, place: str, value: object) -> None:
        self.place = place
        self.value = value

    def fail(self, what: str) -> NoReturn:
        """Raise EgnError with the place and what is wrong there."""
        raise EgnError(f"{self.place or 'the file'}: {what}")

    def object(self, required: Sequence[str], allowed: Sequence[str]) -> dict[str, Field]:
        """Return the fields of an object, without missing ones."""
        if not isinstance(self.value, dict):
            self.fail(f"got {quoted(self.value)}; must be an object")
        for key in self.value:
            if key not in allowed:
                self.fail(f"unknown field {quoted(key)}{did_you_mean(shown(key, _QUOTED), allowed)}")
        for key in required:
            if key not in self.value:
                self.fail(f"the field {quoted(key)} is missing")
        dot = f"{self.place}." if self.place else ""
        return {key: Field(f"{dot}{key}", value) for key, value in self.value.items()}

    def list(self, most: int) -> list[Field]:
        """Return the entries of a list of at most `most`."""
        if not isinstance(self.value, list):
            self.fail(f"got {quoted(self.value)}; must be a list")
        if len(self.value) > most:
            self.fail(f"got {len(self.value):,} entries; must be at most {most}")
        return [Field(f"{self.place}[{at}]", value) for at, value in enumerate(self.value)]

    def text(self, most: int) -> str:
        """Return a string of at most `most` characters."""
        if not isinstance(self.value, str):
            self.fail(f"got {quoted(self.value)}; must be a text")
        if len(self.value) > most:
            self.fail(f"got {len(self.value):,} characters; must be at most {most}")
        return self.value

    def whole(self, least: int = -_LARGEST, most: int = _LARGEST) -> int:
        """Return a whole number from `least` to `most`."""
        value = self.value
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # JSON Schema accepts 1.0 as a whole number
        if isinstance(value, bool) or not isinstance(value, int):
            self.fail(f"got {quoted(self.value)}; must be a whole number")
        if not least <= value <= most:
            self.fail(f"got {value}; must be a whole number from {least} to {most}")
        return value

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.fail(f"got {quoted(self.value)}; must be true or false")
        return self.value

    def one_of(self, *allowed: str) -> str:
        """Return one of the allowed texts."""
        if self.value not in allowed or not isinstance(self.value, str):
            self.fail(f"got {quoted(self.value)}; must be one of {', '.join(allowed)}")
        return self.value

    def card(self) -> str:
        """Return a card in our notation: `N` becomes a nine, suits are in lower case, `B` becomes `X1`, `L` and `R`
        stay."""
        text = self.text(2)
        if not _CARD.fullmatch(text):
            self.fail(f"got {quoted(text)}; must be a card: a rank of 9TJQKA and a suit of shdc")
        if len(text) == 1:
            return egn.JOKER if text == egn.JOKER_IN_EGN else text
        rank, suit = text[0], text[1]
        suit = suit.lower()  # `h` is hearts, since the schema cannot tell it from the second green suit
        return f"{'9' if rank == 'N' else rank.lower() if rank == 'X' else rank}{suit if suit in 'shdc' else 'x'}"


def _metadata(field: Field) -> dict[str, object]:
    names = ("gameId", "title", "description", "players", "teamNames", "initialScore", "finalScore", "date", "ruleset")
    found = field.object(("players", "initialScore"), names)
    players = tuple(map(player_name, found["players"].list(_MOST_CARDS)))
    check_date(found)
    if "description" in found:
        found["description"].text(1024)
    for name in found["teamNames"].list(2) if "teamNames" in found else ():
        name.text(64)
    rules = _ruleset(found.get("ruleset", Field("metadata.ruleset", {})))
    if len(players) != egn.SEATS:
        found["players"].fail(f"got {len(players)} names; must be {egn.SEATS}, since euchre has two teams of two")
    return {
        "title": found["title"].text(128) if "title" in found else "",
        "game_id": found["gameId"].text(64) if "gameId" in found else "",
        "players": players,
        "initial": _score(found["initialScore"]),
        "final": _score(found["finalScore"]) if "finalScore" in found else None,
        "rules": rules,
    }


def check_date(found: Mapping[str, Field]) -> None:
    """Raise EgnError for a field `date` that is not a date."""
    if "date" in found and not _DATE.fullmatch(found["date"].text(64)):
        found["date"].fail(f"got {quoted(found['date'].value)}; must be a date such as 2026-05-17T19:00:00Z")


def player_name(field: Field) -> str:
    """Return the name of a player, which is a string or part of an object."""
    if not isinstance(field.value, dict):
        return field.text(64)
    found = field.object(("name",), ("id", "name", "playerIds"))
    if "id" in found:
        found["id"].text(64)
    for one in found["playerIds"].list(_MOST_CARDS) if "playerIds" in found else ():
        for part in one.object(("id", "source"), ("id", "source")).values():
            part.text(64)
    return found["name"].text(64)


def _score(field: Field) -> tuple[int, int]:
    points = [one.whole(0) for one in field.list(2)]
    if len(points) != 2:
        field.fail(f"got {len(points)} numbers; must be the points of both teams")
    return points[0], points[1]


def _ruleset(field: Field) -> egn.Ruleset:
    numbers = ("min_rank", "winning_score", "num_deals", "loner_march_score", "loner_euchred_score", "num_players")
    ours = ("std", "canadian", "defend_alone", "joker", "allow_no_trump", "partners_best", "go_under")
    flags = (*ours, *FOREIGN_RULES)
    found = field.object((), (*numbers, *flags, "loner_lead"))
    on = {name: found[name].flag() for name in flags if name in found}
    for name, words in FOREIGN_RULES.items():
        if on.get(name):
            found[name].fail(f"the game has {words}")
    if "winning_score" in found and "num_deals" in found:
        field.fail("must have winning_score or num_deals, not both")
    deals = found["num_deals"].whole(0) if "num_deals" in found else 0
    target = found["winning_score"].whole(0) if "winning_score" in found else 0 if deals else 10
    if not target and not deals:
        field.fail("a game without winning_score and num_deals never ends")
    for name, only in (("min_rank", 9), ("num_players", egn.SEATS)):
        if name in found and found[name].whole() != only:
            found[name].fail(f"got {found[name].value}; must be {only}, the only value that Bowerbird reads")
    return egn.Ruleset(
        stick_dealer=on.get("std", True),
        target=target,
        deals=deals,
        canadian=on.get("canadian", False),
        loner_lead=found["loner_lead"].one_of(egn.ELDEST_LEADS, egn.LEFT_OF_LONER_LEADS)
        if "loner_lead" in found
        else egn.ELDEST_LEADS,
        loner_march=found["loner_march_score"].whole(0) if "loner_march_score" in found else 4,
        loner_euchred=found["loner_euchred_score"].whole(0) if "loner_euchred_score" in found else 2,
        defend_alone=on.get("defend_alone", False),
        joker=on.get("joker", False),
        no_trump=on.get("allow_no_trump", False),
        partners_best=on.get("partners_best", False),
        go_under=on.get("go_under", False),
    )


class _Counter:
    """A counter of what a game does not need: comments and alternative lines."""

    def __init__(self) -> None:
        self.comments = 0
        self.lines = 0

    def found(self) -> dict[str, object]:
        return {"comments": self.comments, "lines": self.lines}


def _deal(field: Field, counter: _Counter) -> egn.Deal:
    if isinstance(field.value, str):
        field.fail("is packed; must be JSON: unpack it with egn-convert")
    found = field.object(
        ("dealNumber", "initialState", "phases"), ("dealNumber", "initialState", "phases", "alternativeLines")
    )
    begin = found["initialState"].object(("dealer", "upCard"), ("dealer", "upCard", "playerCards"))
    hands = [_cards(hand) for hand in begin["playerCards"].list(egn.SEATS)] if "playerCards" in begin else []
    phases = [_phase(phase, counter) for phase in found["phases"].list(2)]
    if [kind for kind, _ in phases] not in ([], [BIDDING], [BIDDING, PLAY]):
        found["phases"].fail("must be the bidding, then the play")
    for line in found["alternativeLines"].list(_MOST_LINES) if "alternativeLines" in found else ():
        parts = line.object(("branchIndex", "phases"), ("branchIndex", "phases"))
        parts["branchIndex"].whole(0)
        for phase in parts["phases"].list(_LARGEST):
            _phase(phase, _Counter())
        counter.lines += 1
    told: dict[str, object] = {}
    for _, part in phases:
        if "is_alone" in told and part.get("is_alone") is True and not told["is_alone"]:
            found["phases"].fail("say in the play, but not in the bidding, that the maker plays alone")
        told = part | told
    return egn.Deal(
        number=found["dealNumber"].whole(0),
        dealer=begin["dealer"].whole(0, egn.SEATS - 1),
        upcard=begin["upCard"].card(),
        hands=(*hands, *[()] * (egn.SEATS - len(hands))),
        calls=told.get("calls"),  # type: ignore[arg-type] # `_phase` returns matching types
        is_alone=bool(told.get("is_alone", False)),
        lone_defender=told.get("lone_defender"),  # type: ignore[arg-type]
        discard=told.get("discard"),  # type: ignore[arg-type]
        exchanges=told.get("exchanges", ()),  # type: ignore[arg-type]
        tricks=told.get("tricks"),  # type: ignore[arg-type]
    )


def _cards(field: Field) -> tuple[str, ...]:
    return tuple(card.card() for card in field.list(_MOST_CARDS))


def _phase(field: Field, counter: _Counter) -> tuple[str, dict[str, object]]:
    if not isinstance(field.value, dict) or field.value.get("type") not in (BIDDING, PLAY):
        field.fail(f"has no type {BIDDING} or {PLAY}")
    reads: Callable[[Field, _Counter], dict[str, object]] = _bidding if field.value["type"] == BIDDING else _play
    return field.value["type"], reads(field, counter)


def _bidding(field: Field, counter: _Counter) -> dict[str, object]:
    names = ("calls", "isAlone", "aloneDefender", "discard", "cardExchanges", "callAnnotations")
    found = field.object(("type", "calls"), ("phaseNumber", "type", *names))
    _check_phase_number(found)
    told: dict[str, object] = {
        "calls": tuple(call.one_of(*_CALLS) for call in found["calls"].list(16)),
        "is_alone": found["isAlone"].flag() if "isAlone" in found else False,
    }
    if "aloneDefender" in found and (seat := found["aloneDefender"].whole(-1, egn.SEATS - 1)) >= 0:
        told["lone_defender"] = seat
    if "discard" in found:
        told["discard"] = found["discard"].card()
    if "cardExchanges" in found:
        told["exchanges"] = tuple(map(_exchange, found["cardExchanges"].list(egn.SEATS)))
    _comments(found.get("callAnnotations"), counter)
    return told


def _check_phase_number(found: Mapping[str, Field]) -> None:
    """Raise EgnError if the number of a phase is not whole. Files of version 1.5 and later may leave it out."""
    if "phaseNumber" in found:
        found["phaseNumber"].whole()


def _exchange(field: Field) -> egn.Exchange:
    found = field.object(("receiver", "cards"), ("sender", "receiver", "cards"))
    sender = found["sender"].whole(0, egn.SEATS - 1) if "sender" in found else None
    return egn.Exchange(sender, found["receiver"].whole(0, egn.SEATS - 1), _cards(found["cards"]))


def _play(field: Field, counter: _Counter) -> dict[str, object]:
    found = field.object(("type", "tricks"), ("phaseNumber", "type", "tricks", "isAlone", "playAnnotations"))
    _check_phase_number(found)
    told: dict[str, object] = {"tricks": tuple(_cards(trick) for trick in found["tricks"].list(_MOST_CARDS))}
    if "isAlone" in found:
        told["is_alone"] = found["isAlone"].flag()
    _comments(found.get("playAnnotations"), counter)
    return told


def _comments(field: Field | None, counter: _Counter) -> None:
    if field is None:
        return
    if not isinstance(field.value, dict):
        field.fail(f"got {quoted(field.value)}; must be an object")
    for key, value in field.value.items():
        if not _INDEX.fullmatch(key):
            field.fail(f"has the field {quoted(key)}, which is not the number of a call or card")
        for text in Field(f"{field.place}.{key}", value).list(50):
            text.text(1024)
            counter.comments += 1
