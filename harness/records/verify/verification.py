"""Verifies stored runs: replays each game and reports each difference (commands.md, `bowerbird verify`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby

from bowerbird.engine import counted
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.run_members import run_digest
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.text.run_text import tournament_table
from bowerbird.harness.records.values.corrections import Correction, DealSources, annulled_sets, wrong_corrections
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.placements import LOT, SHARED_PLACE, Outcome, by_lot
from bowerbird.harness.records.values.run import (
    ResultsDigest,
    SetKey,
    commitment_of,
    deal_seed,
    is_whole_set,
    run_fingerprint,
)
from bowerbird.harness.records.values.voids import MOST_ATTEMPTS, VoidedSet, by_key, wrong_voids
from bowerbird.harness.records.verify.beacons import beacon_differences
from bowerbird.harness.records.verify.examiner import Examiner, examine_here
from bowerbird.harness.records.verify.game_checks import Block, Difference, RunFacts, verify_text, voided_differences
from bowerbird.harness.records.verify.outcome_checks import FinalPlaces, outcome_differences
from bowerbird.harness.records.verify.run_rules import run_rules

DigestOf = Callable[[Sequence[GameResult]], ResultsDigest]
"""A function that computes the digest of a run's results.

It is a parameter because the ratings package imports this one."""

PairingCheck = Callable[[StoredRun], Iterable[tuple[SetKey | None, str]]]
"""A function that repeats a run's pairing decisions and yields each deal set (None: the run) that differs, and how.

It is a parameter because the tournament package imports this one."""

BLOCK_GAMES = 32
"""The fewest games, in whole deal sets, to give an examiner at a time."""


def verify_file(store: Store) -> list[Difference]:
    """Verify the database as a file (see `Store.damage`)."""
    return [Difference("", "database", damage) for damage in store.damage()]


def verify_singles(records: Iterable[tuple[str, str]]) -> list[Difference]:
    """Verify records that were imported without their run, each (id, text)."""
    return [difference for game, text in records for difference in verify_text(text, game)]


def verify_run(
    run: StoredRun,
    digest_of: DigestOf | None = None,
    progress: Callable[[int, int], None] | None = None,
    examiner: Examiner = examine_here,
    *,
    check_pairings: PairingCheck | None = None,
) -> list[Difference]:
    """Return all differences in a run; [] if it is correct.

    Checks that each record can be read and played, and that with the published seed its packs, first dealer and
    substituted actions follow from the seed. Checks that its bots sit as its line-up and rotation say. Checks that the
    tables agree with the records, each story with a fault, and each note with an action. Checks that a beacon of drand
    is the round that the run named, which came after the commitment (`beacons`). Checks that each deal set is complete
    and has the same packs in each rotation: the packs of the attempt that follows its voids, from the seed of the run
    or of the set's last correction. Checks the games that corrections took out of the results in the same way, and that
    no annulled set is among the results. Checks that no set is both stored and left out. Checks that the stored places
    and matches follow from the results (`outcome_checks`). Checks that the stored ratings of a complete run belong to
    its results. Checks with `check_pairings` that a run whose results decide who meets whom has the deal sets that
    follow from them.

    `progress` is called with (games done, games). `examiner` examines the games, by default in this process; the result
    does not depend on it. Raises StoreError if the database cannot be read, and the errors of `examiner`.
    """
    found = list(_run_differences(run, digest_of, progress, examiner))
    if not found and check_pairings is not None:
        found = [_pairing_difference(run, key, sentence) for key, sentence in check_pairings(run)]
    return found or list(_digest(run))


def _pairing_difference(run: StoredRun, key: SetKey | None, sentence: str) -> Difference:
    where = f"run {run.fingerprint}" if key is None else f"deal set {run.fingerprint}/{key}"
    return Difference("", where, sentence)


def _run_differences(
    run: StoredRun, digest_of: DigestOf | None, progress: Callable[[int, int], None] | None, examiner: Examiner
) -> Iterator[Difference]:
    yield from _run_identity(run)
    entered = frozenset((bot.name, bot.version, bot.fingerprint) for bot in run.bots())
    voids = run.voids()
    corrections = run.corrections()
    yield from _voids(run, voids, {name for name, _, _ in entered}, annulled_sets(corrections))
    yield from _machines(run)
    yield from _corrections(run, corrections, {name for name, _, _ in entered})
    sources = DealSources(run.row.commitment, run.row.seed, corrections, voids)
    facts = RunFacts(
        fingerprint=run.fingerprint,
        packs=run.row.packs,
        beacon=run.row.beacon,
        entered=entered,
        sources=sources,
        is_complete=run.row.ended is not None,
        rules=run_rules(run.row.config),
        config=run.row.config,
    )
    blocks = list(_blocks(run.game_ids()))
    games = sum(map(len, blocks))
    done = 0
    for block, found in zip(blocks, examiner(run.store, facts, blocks), strict=True):
        yield from found
        done += len(block)
        if progress is not None:
            progress(done, games)
    yield from voided_differences(run.voided_games(), facts)
    try:
        results = run.results()
    except StoreError as error:
        yield Difference("", "results", str(error))
        return
    yield from _sets(run, results)
    yield from _outcome(run, results, {name for name, _, _ in entered})
    if digest_of is not None:
        yield from _results_digest(run, results, digest_of)


def _blocks(ids: Iterable[str]) -> Iterator[Block]:
    """Yield the games, in the order of their ids, in blocks of whole deal sets."""
    block: list[str] = []
    for _, games in groupby(ids, key=lambda game: game.rpartition("/")[0]):
        block += games
        if len(block) >= BLOCK_GAMES:
            yield tuple(block)
            block = []
    if block:
        yield tuple(block)


def _run_identity(run: StoredRun) -> Iterator[Difference]:
    where = f"run {run.fingerprint}"
    if run_fingerprint(run.row.original_name, run.row.commitment) != run.fingerprint:
        yield Difference("", where, f"its first name {run.row.original_name!r} and commitment give another fingerprint")
    if run.row.seed is not None and commitment_of(run.row.seed) != run.row.commitment:
        yield Difference("", where, f"the published seed is not the committed one, {run.row.commitment}")
    try:
        tournament_table(run.row.config)
    except ValueError as error:
        yield Difference("", where, str(error))
        return
    for wrong in beacon_differences(run.row):
        yield Difference("", where, wrong)


def _voids(
    run: StoredRun, voids: Sequence[VoidedSet], entered: Collection[str], annulled: Collection[SetKey]
) -> Iterator[Difference]:
    if wrong := wrong_voids(voids, entered):
        yield Difference("", f"run {run.fingerprint}", wrong)
        return
    stored = {key for key, _ in run.sets()} if voids else set()
    for key, attempts in by_key(void for void in voids if not void.is_past).items():
        where = f"deal set {run.fingerprint}/{key}"
        if len(attempts) == MOST_ATTEMPTS and key in stored:
            yield Difference("", where, f"it is stored, but all of its {MOST_ATTEMPTS} attempts are void")
        is_missing = key not in stored and key not in annulled
        if len(attempts) < MOST_ATTEMPTS and is_missing and run.row.ended is not None:
            yield Difference("", where, f"it has {counted(len(attempts), 'void')}, but was not played again")


def _corrections(run: StoredRun, corrections: Sequence[Correction], entered: Collection[str]) -> Iterator[Difference]:
    if wrong := wrong_corrections(corrections, entered):
        yield Difference("", f"run {run.fingerprint}", wrong)
    for key in sorted(annulled_sets(corrections).keys() & run.stored_sets()):
        place = f"deal set {run.fingerprint}/{key}"
        yield Difference("", place, "it is among the results, but a correction annuls it")


def _machines(run: StoredRun) -> Iterator[Difference]:
    played = sum(total.sets for total in run.machines())
    if played > run.row.sets:
        where = f"run {run.fingerprint}"
        yield Difference("", where, f"its machines have played {played} deal sets, but {run.row.sets} are stored")


def _sets(run: StoredRun, results: Sequence[GameResult]) -> Iterator[Difference]:
    rotations: dict[SetKey, list[int]] = {}
    sides: dict[SetKey, int] = {}
    for result in results:
        rotations.setdefault(result.id.set_key, []).append(result.id.rotation)
        sides[result.id.set_key] = len(set(result.sides))
    for key, games in run.sets():
        where = f"deal set {run.fingerprint}/{key}"
        found = rotations.get(key, [])
        if len(found) != games or found != list(range(len(found))):
            listed = ", ".join(map(str, found)) or "none"
            yield Difference("", where, f"it has {games} rotations; these are stored: {listed}")
        if not is_whole_set(games, sides.get(key, 1), run.row.config):
            yield Difference("", where, f"{games} rotations for {sides[key]} sides: it is not complete")


def _outcome(run: StoredRun, results: Sequence[GameResult], bots: Collection[str]) -> Iterator[Difference]:
    where = f"run {run.fingerprint}"
    try:
        outcome = Outcome(run.row.stopped, tuple(run.placements()), tuple(run.matches()))
    except (StoreError, ValueError) as error:
        yield Difference("", where, str(error))
        return
    annulled = annulled_sets(run.corrections())
    is_complete = run.row.ended is not None
    for wrong in outcome_differences(outcome, results, bots, annulled, is_complete=is_complete, final=_final(run)):
        yield Difference("", where, wrong)


def _final(run: StoredRun) -> FinalPlaces:
    """Return a function that orders equal places of a run by its lot, if it has one."""
    seed = run.row.seed
    try:
        equal_places = tournament_table(run.row.config).get("equal_places", SHARED_PLACE)
    except ValueError:
        return dict  # `_run_identity` reports errors in the file
    if seed is None or equal_places != LOT:
        return dict
    names = [bot.name for bot in run.bots()]
    return lambda places: by_lot(places, names, deal_seed(seed, run.row.beacon))


def _digest(run: StoredRun) -> Iterator[Difference]:
    """Compare the run with its digest, which also covers data without other checks: times, stories, voids."""
    if run.row.ended is None or not run.row.digest or run_digest(run) == run.row.digest:
        return
    if not run.unpaired() or run_digest(run, with_unpaired=False) != run.row.digest:
        sentence = "its digest does not match: something other than its games was changed after it was complete"
        yield Difference("", f"run {run.fingerprint}", sentence)


def _results_digest(run: StoredRun, results: Sequence[GameResult], digest_of: DigestOf) -> Iterator[Difference]:
    """Compare the digest of a complete run, which shows the results to which its stored ratings belong."""
    found = run.ratings()
    if found is not None and run.row.ended is not None and found != digest_of(results):
        yield Difference("", "ratings", "they were computed from other results, not those stored")
