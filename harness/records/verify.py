"""Verification: plays everything that is recorded again and says what differs, where (CLI.md, `bowerbird verify`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby

from harness.records.errors import StoreError
from harness.records.examine import Difference, Identity, examine, verify_text
from harness.records.rows import GameResult, RunRow
from harness.records.run import RatingTable, SetKey, commitment_of, run_fingerprint
from harness.records.run_text import tournament_table
from harness.records.store import Store

Rerate = Callable[[Sequence[GameResult], int | None], RatingTable]
"""Computes a run's incremental Elo anew from its results: of the first so many deal sets in their order, None for all.

Ratings read records, so they are handed in."""

BLOCK_GAMES = 32
"""At least so many games, in whole deal sets, are looked at in one go: by one process where there are several."""


def verify_file(store: Store) -> list[Difference]:
    """What is wrong with the database as a file, whatever runs are in it: see `Store.damage`."""
    return [Difference("", "database", damage) for damage in store.damage()]


def verify_singles(records: Iterable[tuple[str, str]]) -> list[Difference]:
    """Verify records that were imported without their run, each (id, text)."""
    return [difference for game, text in records for difference in verify_text(text, game)]


def verify_run(
    store: Store,
    run: str,
    rerate: Rerate | None = None,
    progress: Callable[[int, int], None] | None = None,
    workers: int = 1,
) -> list[Difference]:
    """All that differs in a run (its fingerprint in full); empty if it is as it must be.

    Each record is read and played; with the published seed its packs, first dealer and substituted actions are those
    that the seed gives. The tables say what the records say, and stories tell of faults that are there. Each deal set
    is complete and plays the same packs in each rotation. The stored ratings are those that `rerate` makes of the
    results; while the run is not complete, of the first sets in their order. `progress` is told (games done, games).
    With more than one of `workers`, that many processes look at the games; what is found is the same. Raises StoreError
    where the database cannot be read.
    """
    return list(_run_differences(store, store.run(run), rerate, progress, workers))


def _run_differences(
    store: Store, run: RunRow, rerate: Rerate | None, progress: Callable[[int, int], None] | None, workers: int
) -> Iterator[Difference]:
    yield from _run_identity(run)
    entered = frozenset((bot.name, bot.version, bot.fingerprint) for bot in store.bots(run.fingerprint))
    blocks = list(_blocks(store.game_ids(run.fingerprint)))
    games = sum(map(len, blocks))
    done = 0
    for block, found in zip(blocks, _examined(store, run, entered, blocks, workers), strict=True):
        yield from found
        done += len(block)
        if progress is not None:
            progress(done, games)
    try:
        results = store.results(run.fingerprint)
    except StoreError as error:
        yield Difference("", "results", str(error))
        return
    yield from _sets(store, run, results)
    if rerate is not None:
        yield from _ratings(store, run, results, rerate)


def _blocks(ids: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """The games, in the order of their ids, in blocks of whole deal sets."""
    block: list[str] = []
    for _, games in groupby(ids, key=lambda game: game.rpartition("/")[0]):
        block += games
        if len(block) >= BLOCK_GAMES:
            yield tuple(block)
            block = []
    if block:
        yield tuple(block)


def _examined(
    store: Store, run: RunRow, entered: Collection[Identity], blocks: Sequence[tuple[str, ...]], workers: int
) -> Iterator[list[Difference]]:
    """Block by block, what differs in its games."""
    if workers == 1 or len(blocks) < 2:
        return (examine(store, run, entered, block) for block in blocks)
    from harness.records.verify_pool import examined

    return examined(store.path, run, entered, blocks, workers)


def _run_identity(run: RunRow) -> Iterator[Difference]:
    where = f"run {run.fingerprint}"
    if run_fingerprint(run.name, run.commitment) != run.fingerprint:
        yield Difference("", where, f"its name {run.name!r} and commitment give another fingerprint")
    if run.seed is not None and commitment_of(run.seed) != run.commitment:
        yield Difference("", where, f"the published seed is not the committed one, {run.commitment}")
    try:
        tournament_table(run.config)
    except ValueError as error:
        yield Difference("", where, str(error))


def _sets(store: Store, run: RunRow, results: Sequence[GameResult]) -> Iterator[Difference]:
    rotations: dict[SetKey, list[int]] = {}
    sides: dict[SetKey, int] = {}
    for result in results:
        rotations.setdefault(result.id.set_key, []).append(result.id.rotation)
        sides[result.id.set_key] = len(set(result.sides))
    for key, games in store.sets(run.fingerprint):
        where = f"deal set {run.fingerprint}/{key}"
        found = rotations.get(key, [])
        if len(found) != games or found != list(range(len(found))):
            listed = ", ".join(map(str, found)) or "none"
            yield Difference("", where, f"it has {games} rotations, these are stored: {listed}")
        if games % sides.get(key, 1):
            yield Difference("", where, f"{games} rotations for {sides[key]} sides: it is not complete")


def _ratings(store: Store, run: RunRow, results: Sequence[GameResult], rerate: Rerate) -> Iterator[Difference]:
    found = store.ratings(run.fingerprint)
    right = rerate(results, None)
    if found is not None and run.ended is None and found.sets < right.sets:
        right = rerate(results, found.sets)  # the others stand behind a set that is still to be played
    if found is None:
        if right.rows:
            yield Difference("", "ratings", "none are stored")
        return
    expected = {(row.scope, row.bot): (row.rating, row.games) for row in right.rows}
    stored = {(row.scope, row.bot): (row.rating, row.games) for row in found.rows}
    for scope, bot in sorted({*expected, *stored}):
        mine, theirs = expected.get((scope, bot)), stored.get((scope, bot))
        if mine != theirs:
            where = f"ratings, {scope or 'all variants'}, bot {bot}"
            yield Difference("", where, f"{_rating(theirs)} stored, the results give {_rating(mine)}")
    if not expected.keys() ^ stored.keys() and (found.digest, found.sets) != (right.digest, right.sets):
        yield Difference("", "ratings", "they were computed from other results than those that are stored")


def _rating(value: tuple[float, int] | None) -> str:
    return "nothing is" if value is None else f"{value[0]!r} after {value[1]} games is"
