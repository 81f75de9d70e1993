"""The deal sets that depend on the results of others, in formats that pair bots by results.

In a round-robin, a gauntlet and a run with stop rules, the file alone determines the deal sets; results decide only
when a run stops. So in these formats no deal set depends on another. If a corrected run would now stop earlier, its
later sets stay: they are fair games, and a stop rule reads only the sets before its stop.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from bowerbird.harness.records.values.run import BLOCK_SETS, SetKey
from bowerbird.harness.tournament.config.schema import ADAPTIVE, KNOCKOUT, SWISS
from bowerbird.harness.tournament.formats.knockout import stride_of_rounds
from bowerbird.harness.tournament.formats.matches import stride


def _one_block(_: int) -> int:
    """Return the distance between two rounds of an adaptive run, each of which has one block of every line-up."""
    return BLOCK_SETS


_STRIDES: Mapping[str, Callable[[int], int]] = {SWISS: stride, KNOCKOUT: stride_of_rounds, ADAPTIVE: _one_block}
"""By format, a function from the deal sets of a match to the distance between the first deal sets of two rounds."""


def dependents(form: str, sets: int, taken: Collection[SetKey], played: Iterable[SetKey]) -> tuple[SetKey, ...]:
    """Return the `played` deal sets that depend on the results of those `taken` out, sorted and without the latter.

    In a Swiss, a knockout and an adaptive run these are all sets of later rounds, since the pairs of a round depend on
    all rounds before it. In a knockout, each extra set of a tied match also depends on the sets of its match with lower
    numbers.

    form: the name of the format.
    sets: how many deal sets of each variant a match has.
    played: the deal sets that are stored or have voids.
    """
    if form not in _STRIDES or not taken:
        return ()
    distance = _STRIDES[form](sets)
    first_round = min(key.number // distance for key in taken)
    lowest: dict[tuple[int, frozenset[str]], int] = {}
    """The lowest number among the sets taken out of each match, by its round and bots."""
    for key in taken:
        match = key.number // distance, _bots(key)
        lowest[match] = min(key.number, lowest.get(match, key.number))

    def follows(key: SetKey) -> bool:
        number, place = divmod(key.number, distance)
        if number != first_round or form == ADAPTIVE:
            return number > first_round
        return place >= sets and key.number > lowest.get((number, _bots(key)), key.number)

    return tuple(sorted(key for key in set(played) - set(taken) if follows(key)))


def rounds_of(form: str, sets: int, keys: Iterable[SetKey]) -> tuple[int, ...]:
    """Return the distinct rounds, from 1, of some deal sets; () in formats that do not pair bots by results.

    form, sets: as for `dependents`.
    """
    if form not in _STRIDES:
        return ()
    return tuple(sorted({key.number // _STRIDES[form](sets) + 1 for key in keys}))


def _bots(key: SetKey) -> frozenset[str]:
    """Return the bots of a match, regardless of their seats."""
    return frozenset(key.lineup.split("+"))
