"""Which deal sets follow from the results of others, in the formats that pair bots by results.

In a round-robin, a gauntlet and a run with stop rules, the file alone says which deal sets there are: results only say
after which of them a run stops. So nothing follows from a deal set there. Where a corrected run now stops earlier than
before, its later sets stay: they are fair games, and a stop rule reads the first sets only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from bowerbird.harness.records.values.run import BLOCK_SETS, SetKey
from bowerbird.harness.tournament.config.schema import ADAPTIVE, KNOCKOUT, SWISS
from bowerbird.harness.tournament.formats.knockout import stride_of_rounds
from bowerbird.harness.tournament.formats.matches import stride


def _one_block(_: int) -> int:
    """Return the distance of two rounds of an adaptive run: each has one block of every line-up."""
    return BLOCK_SETS


_STRIDES: Mapping[str, Callable[[int], int]] = {SWISS: stride, KNOCKOUT: stride_of_rounds, ADAPTIVE: _one_block}
"""By format, the distance between the first deal sets of two rounds, for the deal sets of a match."""


def dependents(form: str, sets: int, taken: Collection[SetKey], played: Iterable[SetKey]) -> tuple[SetKey, ...]:
    """Return those of the `played` deal sets that follow from the results of those `taken` out, sorted, without these.

    That is every set of a later round, since its pairs follow from all rounds before it. So it is in a Swiss, a
    knockout and an adaptive run. In a knockout the extra sets
    of a tied match follow too, each from the sets of its match with lower numbers.

    form: the name of the format.
    sets: how many deal sets of each variant a match has.
    played: the deal sets that are stored or have voids.
    """
    if form not in _STRIDES or not taken:
        return ()
    distance = _STRIDES[form](sets)
    first_round = min(key.number // distance for key in taken)
    lowest: dict[tuple[int, frozenset[str]], int] = {}
    """By round and bots of a match, the lowest number of the sets that are taken out of it."""
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
    """Return the rounds that deal sets belong to, from 1, each once; () in formats that pair no bots by results.

    form, sets: as for `dependents`.
    """
    if form not in _STRIDES:
        return ()
    return tuple(sorted({key.number // _STRIDES[form](sets) + 1 for key in keys}))


def _bots(key: SetKey) -> frozenset[str]:
    """Return the bots of a match, whatever their seats."""
    return frozenset(key.lineup.split("+"))
