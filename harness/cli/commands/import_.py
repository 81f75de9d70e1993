"""`bowerbird import FILE…`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.loaded_record import check_ending
from bowerbird.harness.cli.shared.options import examples, progress_options
from bowerbird.harness.cli.shared.output import echo, note, print_json, progress_bar, recorded_command
from bowerbird.harness.cli.shared.vouching import vouching_document
from bowerbird.harness.extensions import offer, offered, offers

if TYPE_CHECKING:
    from bowerbird.harness.records.archive.merge import Merged
    from bowerbird.harness.records.notation import MatchNotation, Notation
    from bowerbird.harness.records.store.store import Store
    from bowerbird.harness.records.vouching import Vouching


@click.command("import", epilog=examples("import autumn.tar.gz", "import game.toml winter.tar.gz --db all.db"))
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option(
    "--untrusted",
    is_flag=True,
    help="Let an archive without a trusted signature add to a run that counts. That run then no longer counts.",
)
@progress_options
def command(*, files: tuple[Path, ...], untrusted: bool, db: Path, as_json: bool, quiet: bool) -> None:
    """Import run archives and game records made by 'bowerbird export'.

    Every record is checked against the rules, and its fault stories and bots' notes against the record. Runs are
    merged; if a game that is already stored differs in a single byte, the whole file is refused. A record without its
    run can be replayed, verified and exported, but doesn't count in standings.

    A FILE.egn holds a game in Euchre Game Notation, a FILE.emn a match of such games. They must be consistent, and are
    kept beside the database. They can be replayed, but are never rated or verified.

    An archive's signature must be valid and its key not revoked. A run without a trusted signature counts in 'bowerbird
    standings --all' only with --untrusted. Unless this import has --untrusted, too, such a run can't be merged into one
    that was played here or has a trusted signature.
    """
    from bowerbird.engine import counted
    from bowerbird.harness.cli.shared.recording import recording_store

    done: list[dict[str, object]] = []
    with recording_store(db, quiet=quiet) as store:
        for file in files:
            if file.suffix[1:] in (*offered("notation"), *offered("match")):
                done += _take_in_foreign(file, db, quiet=as_json)
                continue
            merged = _take_in(store, file, untrusted=untrusted, quiet=quiet)
            beside = [line for part in offers("beside") if (line := part.take_beside(store[merged.run], file))]
            vouching = _vouching(store, merged)
            done.append({"file": str(file), **_document(merged), **vouching_document(vouching)})
            if not as_json:
                stories = f"; new stories of {counted(merged.stories, 'fault')}" if merged.stories else ""
                new = counted(merged.new, "new game")
                notes = f"; {counted(merged.notes, 'new note')}" if merged.notes else ""
                echo(f"{file}: run {merged.run}, {new}, {merged.known} already stored{stories}{notes}")
                for line in (*beside, *_new_corrections(store, merged), *vouching_lines(merged, vouching)):
                    note(line)
    if as_json:
        print_json(done)


def _take_in_foreign(file: Path, db: Path, *, quiet: bool) -> list[dict[str, object]]:
    """Keep a game in another notation, or the games of a match, beside the database. Return the document of each.

    Raises InputError, and keeps nothing, if the file is refused.
    """
    from bowerbird.engine import counted
    from bowerbird.harness.records.notation import NotationError

    form = file.suffix[1:]
    notation: Notation | MatchNotation = offer("notation" if form in offered("notation") else "match", form)
    try:
        read = notation.read_file(file)
    except NotationError as error:
        raise InputError(str(error)) from error
    games = read if isinstance(read, list) else [read]
    documents: list[dict[str, object]] = []
    for game in games:
        is_new = notation.keep(game, db)
        documents.append(
            {"file": str(file), "game": game.id, "new": int(is_new), "known": int(not is_new), "partial": game.missing}
        )
        if not quiet:
            how = f"partial, {game.missing}" if game.missing else "whole"
            echo(f"{file}: game {game.id}, {counted(game.deals, 'deal')}, {how}{'' if is_new else '; already known'}")
            if game.unshown:
                note(f"kept but not shown: {', '.join(game.unshown)}")
    if not quiet:
        them = "it" if len(games) == 1 else "a game"
        note(f"show {them} with: {recorded_command(db, 'replay', games[0].id)}")
    return documents


def _document(merged: Merged) -> dict[str, object]:
    """Return the counts of an import for JSON."""
    return {
        "run": merged.run,
        "new": merged.new,
        "known": merged.known,
        "stories": merged.stories,
        "notes": merged.notes,
        "corrections": len(merged.corrections),
    }


def _new_corrections(store: Store, merged: Merged) -> list[str]:
    """Return a line for each correction that an archive added to a run that was already stored."""
    from bowerbird.harness.records.values.corrections import correction_lines

    if not merged.corrections:
        return []
    run = store[merged.run]
    lines = correction_lines(run.corrections(), run.stored_sets())
    return [f"run {merged.run}: {line}" for line in lines[-len(merged.corrections) :]]


def _vouching(store: Store, merged: Merged) -> Vouching | None:
    """Return who vouches for the run as it is now stored; None for a record without its run."""
    from bowerbird.harness.records.vouching import Vouchers

    run = store[merged.run]
    return Vouchers().of(run) if run.header() is not None else None


def vouching_lines(merged: Merged, vouching: Vouching | None) -> list[str]:
    """Return lines about who vouches for an imported run."""
    from bowerbird.harness.records.vouching import known_keys

    if vouching is None or not vouching.line:
        return []
    lines = [f"run {merged.run} {vouching.line}"]
    if not vouching.trusted:
        lines.append("standings --all leaves it out")
        if merged.signed_by:
            lines[-1] += f"; to count it: {known_keys().how_to_trust(merged.signed_by)}"
    return lines


def _take_in(store: Store, file: Path, *, untrusted: bool, quiet: bool) -> Merged:
    from bowerbird.harness.records.archive.archive import is_archive, open_archive
    from bowerbird.harness.records.archive.merge import add_single, merge_run

    if not is_archive(file):
        check_ending(file)
        return add_single(store, file)
    from bowerbird.harness.ratings.results_digest import digest_of
    from bowerbird.harness.records.vouching import known_keys
    from bowerbird.harness.tournament.record_ratings import record_ratings

    keys = known_keys()
    with open_archive(file) as archive, progress_bar(f"importing {archive.run.header.fingerprint}", quiet) as progress:
        return merge_run(
            store,
            archive,
            digest_of,
            progress=progress,
            rate_of_record=record_ratings,
            keys=keys,
            untrusted=untrusted,
        )
