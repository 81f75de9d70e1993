"""`bowerbird verify [RUN|FILE]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.completion import complete_run_or_file
from bowerbird.harness.cli.shared.errors import ExitCode, InputError
from bowerbird.harness.cli.shared.machine_options import work_machine_options
from bowerbird.harness.cli.shared.options import examples, number_option, progress_options
from bowerbird.harness.cli.shared.output import echo, note, print_json, progress_bar
from bowerbird.harness.extensions import offered

if TYPE_CHECKING:
    from bowerbird.harness.records.archive.archive import Archive
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.verify.examiner import Examiner
    from bowerbird.harness.records.verify.game_checks import Difference
    from bowerbird.harness.tournament.executors.other_machines import OtherMachines


@click.command("verify", epilog=examples("verify", "verify autumn-league --jobs 2"))
@click.argument("target", metavar="[RUN|FILE]", required=False, shell_complete=complete_run_or_file)
@number_option("--jobs", click.IntRange(min=1), "Verify in N processes. The result doesn't change.", default=1)
@work_machine_options
@progress_options
def command(
    *, target: str | None, jobs: int, machines: OtherMachines | None, as_json: bool, quiet: bool, db: Path
) -> ExitCode:
    """Replay recorded games through the engine and compare. By default the whole database.

    RUN is an id, the start of one, or a name. FILE is an exported record or archive. Checks the digest, every action
    and score, the packs against the committed seed, the drand beacon, the places of a knockout or Swiss, and the
    pairings of an adaptive run. Exits with 1 if anything differs. An archive signed with a revoked key is refused.
    """
    foreign = (*offered("notation"), *offered("match"))
    if target is not None and any(target.startswith(f"{name}/") or target.endswith(f".{name}") for name in foreign):
        raise InputError(
            f"{target} is a game from another program: nobody committed to its cards, so it is never verified; "
            "'bowerbird replay' checks it against itself"
        )
    if target is not None and Path(target).is_file():
        return _verify_file(Path(target), as_json=as_json, quiet=quiet, jobs=jobs, machines=machines)
    if target is not None and "/" in target:
        from bowerbird.harness.records.quoting import shown

        raise InputError(
            f"{target}: there is no such file; to verify a game, name its run: {shown(target.partition('/')[0])}"
        )
    from bowerbird.engine import counted
    from bowerbird.harness.records.store.store import Store
    from bowerbird.harness.records.values.voids import left_out_of
    from bowerbird.harness.records.verify.beacons import beacon_state
    from bowerbird.harness.records.verify.verification import verify_file, verify_singles

    with Store.open(db) as store:
        runs = store.runs() if target is None else [store.run(target)]
        singles = store.singles() if target is None else []
        differences = verify_file(store)
        if not (runs or singles or differences):
            note(f"{db}: no game is recorded yet, so there is nothing to verify.")
        if runs:
            with _examiner(jobs, machines, quiet=quiet) as examiner:
                differences += [each for run in runs for each in verify_stored(run, examiner, quiet=quiet)]
        differences += verify_singles(singles)
        left_out = [f"{run.fingerprint}/{key}" for run in runs for key in left_out_of(run.voids())]
    games = sum(run.row.games for run in runs)
    what = f"{counted(games, 'game')} in {counted(len(runs), 'run')}"
    single = f" and {counted(len(singles), 'single record')}" if singles else ""
    digests = {} if differences else {run.fingerprint: run.row.digest for run in runs if run.row.digest}
    states = {run.fingerprint: beacon_state(run.row.config, run.row.beacon) for run in runs if not differences}
    _print_result(differences, f"{db}: {what}{single}", as_json, left_out=left_out, digests=digests, beacons=states)
    return ExitCode.FAILED if differences else ExitCode.SUCCESS


def _verify_file(path: Path, *, as_json: bool, quiet: bool, jobs: int, machines: OtherMachines | None) -> ExitCode:
    """Verify an exported record, or the archive of a run."""
    from bowerbird.engine import counted
    from bowerbird.harness.records.archive.archive import is_archive

    if not is_archive(path):
        from bowerbird.harness.cli.shared.loaded_record import check_ending
        from bowerbird.harness.records.text.bounded_file import read_record_file
        from bowerbird.harness.records.verify.game_checks import verify_text

        check_ending(path)
        differences = verify_text(read_record_file(path))
        _print_result(differences, f"{path}: the record", as_json, f"{path}: ")
        return ExitCode.FAILED if differences else ExitCode.SUCCESS
    from bowerbird.harness.ratings.results_digest import digest_of
    from bowerbird.harness.records.archive.archive import open_archive
    from bowerbird.harness.records.archive.merge import verify_archive
    from bowerbird.harness.records.values.voids import left_out_of
    from bowerbird.harness.records.verify.beacons import beacon_state
    from bowerbird.harness.tournament.pairing.replay import wrong_pairings

    with _examiner(jobs, machines, quiet=quiet) as examiner, progress_bar(f"verifying {path}", quiet) as progress:
        verified = verify_archive(path, digest_of, progress, examiner, check_pairings=wrong_pairings)
    differences, digests, states = verified.differences, {}, {}
    with open_archive(path) as archive:
        header = archive.run.header
        left_out = [f"{header.fingerprint}/{key}" for key in left_out_of(archive.run.voids)]
        if verified.digest and not differences:
            digests[header.fingerprint] = verified.digest
        if not differences:
            states[header.fingerprint] = beacon_state(header.config, header.beacon)
        signed = "" if differences else _signed_line(archive, path)
    subject = f"{path}: {counted(verified.games, 'game')}"
    _print_result(differences, subject, as_json, f"{path}: ", left_out=left_out, digests=digests, beacons=states)
    if signed:
        note(f"{path}: {signed}")
    return ExitCode.FAILED if differences else ExitCode.SUCCESS


def _signed_line(archive: Archive, path: Path) -> str:
    """Return who signed an archive whose games have not been read yet.

    Raises StoreError if the signature is wrong or its key is revoked.
    """
    from bowerbird.harness.records.errors import StoreError
    from bowerbird.harness.records.vouching import UNSIGNED_LINE, known_keys, no_keys

    for _ in archive.games:
        pass  # the signature is the last file
    signed = archive.check_signature(no_keys())
    if signed is None:
        return UNSIGNED_LINE
    key, known = signed[0], known_keys()
    if not key:
        return known.in_words(key)
    if why := known.why_refused(key):
        raise StoreError(f"{path}: {why}")
    line = known.in_words(key)
    return line if known.vouches(key) else f"{line}; to trust it: {known.how_to_trust(key)}"


def verify_stored(run: StoredRun, examiner: Examiner | None = None, *, quiet: bool) -> Sequence[Difference]:
    """Verify a stored run, by default in this process, with progress on stderr. Return the differences."""
    from bowerbird.harness.ratings.results_digest import digest_of
    from bowerbird.harness.records.verify.examiner import examine_here
    from bowerbird.harness.records.verify.verification import verify_run
    from bowerbird.harness.tournament.pairing.replay import wrong_pairings

    with progress_bar(f"verifying {run.fingerprint}", quiet) as progress:
        return verify_run(run, digest_of, progress, examiner or examine_here, check_pairings=wrong_pairings)


@contextmanager
def _examiner(jobs: int, machines: OtherMachines | None, *, quiet: bool) -> Iterator[Examiner]:
    """Yield what examines the games: `jobs` processes, or other machines. Raises MachinesError."""
    if machines is None:
        from bowerbird.harness.records.verify.examiner import PoolExaminer

        yield PoolExaminer(jobs)
        return
    from bowerbird.harness.cli.display.progress import teller

    with machines.examiner(teller(quiet=quiet)) as examiner:
        yield examiner


def _print_result(
    differences: Sequence[Difference],
    subject: str,
    as_json: bool,
    prefix: str = "",
    *,
    left_out: Sequence[str] = (),
    digests: Mapping[str, str] = MappingProxyType({}),
    beacons: Mapping[str, tuple[str, str]] = MappingProxyType({}),
) -> None:
    """Print the result of verifying `subject`.

    prefix: text that names the file, before each difference. left_out: the ids of deal sets without a result, because
        all their attempts are void.
    digests: the digests of the complete runs, by run id.
    beacons: `beacon_state` of runs, by their ids.
    """
    from bowerbird.engine import counted

    known = {run: state for run, (state, _) in beacons.items() if state}
    if as_json:
        document = {"verified": not differences, "differences": differences, "left_out": left_out, "digests": digests}
        print_json({**document, "beacons": known})
        return
    for difference in differences:
        echo(f"{prefix}{difference}")
    for key in left_out:
        echo(f"{prefix}deal set {key} was left out: all of its attempts are void.")
    if differences:
        echo(f"{subject}: {counted(len(differences), 'difference')}.")
    else:
        echo(f"{subject}: replayed, no differences.")
    for run, digest in digests.items():
        echo(f"{prefix}run {run}: digest {digest}")
    for run in known:
        echo(f"{prefix}run {run}: {beacons[run][1]}")
