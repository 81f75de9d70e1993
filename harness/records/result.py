"""How a game ended, as its record says it. The referee writes with it and verification compares with it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from engine import Game, new_game, rules_of
from harness.records.record import OptionValue, ResultRecord

FORFEIT = "forfeit"
"""How a game ended that a fault cut short (PROTOCOL.md, Faults at a table)."""

WITHDRAWN = "withdrawn"
"""How a game "ended" that was not played, because a bot had been withdrawn from the run."""


def sides_of(variant: str, options: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """The side of each seat for the whole game: the number of its team, or of the seat where each is for himself.

    Raises engine.EngineError for a variant or options that do not exist.
    """
    return _sides(variant, tuple(sorted(options.items())))


def opening_scores(variant: str, options: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """The scores by seat before the first hand. Raises engine.EngineError for a wrong variant or options."""
    return _opening(variant, tuple(sorted(options.items())))


@lru_cache(maxsize=256)
def _sides(variant: str, options: tuple[tuple[str, OptionValue], ...]) -> tuple[int, ...]:
    rules = rules_of(variant)
    seats = range(rules.seats(dict(options)))
    teams = rules.teams(dict(options))
    if teams is None:
        return tuple(seats)
    return tuple(next(side for side, team in enumerate(teams) if seat in team) for seat in seats)


@lru_cache(maxsize=256)
def _opening(variant: str, options: tuple[tuple[str, OptionValue], ...]) -> tuple[int, ...]:
    return new_game(variant, dict(options), first_dealer=0, seed=bytes(32)).scores


def result_of(game: Game) -> ResultRecord:
    """The result of a game that was played to its end. Raises ValueError while it is in play."""
    if not game.is_over:
        raise ValueError("a game that is in play has no result yet")
    return ResultRecord(ended=game.ended, winners=game.winners, ranks=game.ranks, games=game.games)


def forfeit_of(game: Game, offenders: Collection[int]) -> ResultRecord:
    """The result of a game that ends here by the fault of the seats `offenders` (PROTOCOL.md, Faults at a table).

    Their sides are last. The others follow as where a game stops by `max_hands` (RULES.md A15, E1): by games, then by
    score in the variant's own direction; the best share the first place and win. In team games everybody else is 2.
    Where every side is at fault nobody wins and all share the first place. Raises ValueError without an offender.
    """
    if not offenders:
        raise ValueError("a forfeit needs a seat at fault")
    sides = sides_of(game.variant, game.options)
    guilty = {sides[seat] for seat in offenders}
    standing = {seat: _standing(game, seat) for seat, side in enumerate(sides) if side not in guilty}
    best = max(standing.values(), default=None)
    winners = tuple(seat for seat in standing if standing[seat] == best)
    if rules_of(game.variant).teams(game.options) is not None:
        ranks = tuple(1 if seat in winners or not winners else 2 for seat in range(game.players))
    else:
        ranks = tuple(
            1 + sum(other > standing[seat] for other in standing.values()) if seat in standing else 1 + len(standing)
            for seat in range(game.players)
        )
    return ResultRecord(ended=FORFEIT, winners=winners, ranks=ranks, games=game.games)


def _standing(game: Game, seat: int) -> tuple[int, int]:
    """What seats are compared by; more is better."""
    score = game.scores[seat]
    return (game.games[seat] if game.games else 0, score if rules_of(game.variant).better == "high" else -score)
