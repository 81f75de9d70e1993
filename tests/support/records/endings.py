"""Every way in which a hand or a game can end, by variant, as rules.md has them.

The table `ENDINGS` is written from the rule book, not from the engine. `test_fixtures.py` requires a fixture for each
of its entries, and plays at random to check that no hand or game ends in another way.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from bowerbird.engine import (
    CLAIMED,
    KING,
    LIMIT,
    SCORED,
    SHOWDOWN,
    SWEEP,
    TARGET,
    THROWN_IN,
    UNCONTESTED,
    Game,
    HandResult,
    variant_names,
)
from bowerbird.harness.records.values.faults import FORFEIT

MATCHES = frozenset({"euchre", "british", "railroad", "lap-slam"})
KINGS = frozenset({"king-cut-throat"})
BUCK = frozenset({"buck", "buck-turn-up", "buck-wager", "dirty-clubs", "buck-three-handed", "bid-102", "buck-auction"})
PLAYED_ANYWAY = frozenset({"buck", "buck-turn-up", "buck-wager"})
SEVERAL_ARRIVE = frozenset(
    {
        *("two-handed-straw-men", "three-handed", "cut-throat", "five-handed", "seven-handed"),
        *("buck", "buck-turn-up", "dirty-clubs", "buck-three-handed", "bid-102", "buck-auction"),
    }
)
BOTH_SCORE = frozenset({"bid-euchre", "hasenpfeffer"})
ALL = frozenset(variant_names())

ENDINGS: dict[str, frozenset[str]] = {
    # hands
    "hand-scored": ALL,  # A13
    "hand-thrown-in": ALL - PLAYED_ANYWAY,  # D2; V15 to V17 by all_pass
    "hand-claimed": MATCHES,  # V3.5.4, V4.5.3, E3
    "hand-uncontested": BUCK,  # B5
    "hand-sweep": BUCK,  # V12.9, V14.9, E12
    "hand-redeal": KINGS,  # V11.5.2
    "hand-showdown": KINGS,  # V11.5.8
    "hand-king": KINGS,  # V11.9
    # games
    "game-target": ALL,  # section 9
    "game-limit": ALL,  # A15
    "game-limit-shared": ALL,  # A15: the best are equal
    "game-lap": MATCHES,  # B4, E3
    "game-slam": MATCHES,  # B4, E3
    "game-sweep": BUCK,  # V12.9a
    "game-sweep-uncontested": BUCK,  # E12
    "game-tie": SEVERAL_ARRIVE,  # D4: shared
    # D4, V22.9: several reach the target, not all of them win
    "game-best-of-several": SEVERAL_ARRIVE | BOTH_SCORE | {"buck-wager"},
    "game-defenders": BOTH_SCORE,  # V22.9: the bid failed, and the defenders win
    "game-showdown": KINGS,  # V11.9
    "game-king": KINGS,  # V11.9
    "game-forfeit": ALL,  # protocol.md, Faults at a table
}
"""The variants of each ending, by its name."""


def endings_of(variant: str) -> list[str]:
    """Return the endings of a variant."""
    return [name for name, variants in ENDINGS.items() if variant in variants]


def ended_as(game: Game, ended: str) -> set[str]:
    """Return the endings of this game's hands and of the game itself; `ended` is its result's word."""
    found = {f"hand-{result.ended.replace(' ', '-')}" for result in game.results}
    whole = game.rules.pack.size
    if any(len(pack.split()) == whole for result in game.results for pack in result.packs[1:]):
        found.add("hand-redeal")
    found.update(f"game-{name}" for name in GAMES[ended](game))
    return found


def _shared(game: Game) -> bool:
    """Return whether seats of more than one side won."""
    return len({game.rules.sides[seat] for seat in game.winners}) > 1


def _limit(game: Game) -> set[str]:
    return {"limit-shared" if _shared(game) else "limit"}


def _target(game: Game) -> set[str]:
    found = {"tie" if _shared(game) else "target"}
    if len(_arrived(game)) > len(game.winners):
        found.add("best-of-several")
    if game.rules.variant in BOTH_SCORE and _last_bidder(game) not in game.winners:
        found.add("defenders")
    return found | _credits(game)


def _last_bidder(game: Game) -> int:
    """Return the maker of the last hand of a game in which the highest bidder is the maker."""
    return next(seat for seat, action in reversed(game.results[-1].history) if action.kind in ("bid", "lone"))


def _arrived(game: Game) -> list[int]:
    """Return the seats at their goal."""
    if game.rules.better == "low":
        return [seat for seat, score in enumerate(game.scores) if score <= 0]
    return [seat for seat, score in enumerate(game.scores) if score >= game.rules.options.int("target")]


def _credits(game: Game) -> set[str]:
    """Return whether some hand credited games by a slam or by laps (B4)."""
    found = set()
    for before, after in pairwise((None, *game.results)):
        assert after is not None
        games = before.games if before else (0,) * len(after.games)
        gained = [new - old for new, old in zip(after.games, games, strict=True)]
        if max(gained, default=0) < 2:
            continue
        slammed = after.ended != CLAIMED and game.rules.options.on("slam") and _loser_has_none(gained, before)
        if slammed:
            found.add("slam")
        if max(gained) > 1 + slammed:
            found.add("lap")
    return found


def _loser_has_none(gained: list[int], before: HandResult | None) -> bool:
    return before is None or all(score == 0 for score, games in zip(before.scores, gained, strict=True) if not games)


def _sweep(game: Game) -> set[str]:
    played = any(event.action.kind == "play" for event in game.results[-1].history)
    return {"sweep" if played else "sweep-uncontested"}


GAMES: dict[str, Callable[[Game], set[str]]] = {
    TARGET: _target,
    LIMIT: _limit,
    SWEEP: _sweep,
    KING: lambda _: {"king"},
    SHOWDOWN: lambda _: {"showdown"},
    FORFEIT: lambda _: {"forfeit"},
}
"""The possible endings for each word of a game's result."""

HAND_WORDS = frozenset({SCORED, THROWN_IN, UNCONTESTED, SWEEP, CLAIMED, KING, SHOWDOWN})
"""The words of `HandResult.ended` that the table knows."""
