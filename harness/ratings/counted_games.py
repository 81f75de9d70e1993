"""Which games count (ratings.md, Ratings kept): each game once, and for most purposes only complete deal sets.

Every rating reads results through this module, so that all of them agree on what counts. It loads numpy when it is
called, since a run begins without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.records.values.game_result import GameResult

if TYPE_CHECKING:
    from bowerbird.harness.ratings.games import Bools, Games


def distinct_games(results: Iterable[GameResult]) -> Games:
    """Return each game once, in the order of their ids.

    Overlapping databases can supply a game twice. Raises RatingError if its two results differ.
    """
    return _in_order(results)[0]


def complete_sets(results: Iterable[GameResult]) -> Games:
    """Return the games of complete deal sets, each game once, in the order of their ids.

    A set is complete if it has every rotation that the fullest set of its line-up has, and each side plays each place
    equally often. Raises RatingError as `distinct_games` does.
    """
    games, is_complete = _in_order(results)
    return games.kept(is_complete)


def rotated_games(results: Iterable[GameResult]) -> tuple[Games, bool]:
    """Return the games of complete deal sets, and True; if no set is complete, every game once, and False.

    Raises RatingError as `distinct_games` does.
    """
    games, is_complete = _in_order(results)
    if is_complete.any():
        return games.kept(is_complete), True
    return games, not games


def _in_order(results: Iterable[GameResult]) -> tuple[Games, Bools]:
    """Return each game once, in the order of their ids, and for each whether its deal set is complete.

    Raises RatingError as `distinct_games` does.
    """
    import numpy as np

    from bowerbird.harness.ratings.games import as_games

    games = as_games(results)
    if not games:
        return games, np.zeros(0, dtype=bool)
    games = games.at(np.lexsort(games.ids[::-1]))
    changes = np.diff(games.ids, prepend=-1) != 0
    is_new = changes.any(axis=0)
    for place in np.flatnonzero(~is_new).tolist():
        if games[place] is not games[place - 1] and games[place] != games[place - 1]:
            raise RatingError(
                f"game {games[place].id} is given twice with different results; one of them is not from its record"
            )
    games, changes = games.kept(is_new), changes[:, is_new]
    is_line, is_set = changes[:3].any(axis=0), changes[:4].any(axis=0)
    starts = np.flatnonzero(is_set)
    due = 1 + np.maximum.reduceat(games.ids[4], np.flatnonzero(is_line))[np.cumsum(is_line) - 1][starts]
    sizes = np.diff(starts, append=len(games))
    sides = np.array([len(set(games[start].sides)) for start in starts.tolist()])
    return games, np.repeat((sizes == due) & (due % sides == 0), sizes)
