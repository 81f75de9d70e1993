"""`bowerbird export ID`. Optional parts add formats in their `extension.py` (see `extras/tables`, `extras/egn`)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.completion import complete_run_or_game
from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.options import db_option, debug_option, examples, output_option, quiet_option
from bowerbird.harness.cli.shared.output import echo, json_text, note, progress_bar
from bowerbird.harness.cli.shared.voided import voided_option, voided_record
from bowerbird.harness.extensions import offer, offered, offers

if TYPE_CHECKING:
    from bowerbird.harness.records.archive.archive import Progress
    from bowerbird.harness.records.notation import MatchNotation, Notation
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.text.run_text import ArchivedRun


@click.command(
    "export",
    epilog=examples(
        "export autumn-league -o autumn.tar.gz",
        "export 4f1c9a/euchre-0/greedy+random/0/0 -o game.toml",
        "export autumn-league --format egn -o autumn-egn",
        "export autumn-league --format csv -o tables",
    ),
)
@click.argument("ref", metavar="ID", shell_complete=complete_run_or_game)
@click.option(
    "--format",
    "form",
    type=click.Choice(["toml", "json", *offered("notation"), *offered("match"), *offered("tables")]),
    metavar="FORM",
    help="For a game: toml (default; the record, byte for byte), json (its content) or egn (Euchre Game Notation). "
    "For a run: egn (a folder with one file per game), emn (one file, a match), csv or parquet (a folder of tables).",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@output_option("Write to this file, or folder for several files, instead of stdout.", type=click.Path(path_type=Path))
@click.option(
    "--sign/--no-sign",
    "sign",
    default=None,
    help="Always or never sign the archive of a run. By default it is signed unless a bot of the run could read the "
    "key.",
)
@voided_option
@db_option
@quiet_option
@debug_option
def command(
    *,
    ref: str,
    form: str | None,
    as_json: bool,
    output: Path | None,
    sign: bool | None,
    correction: int | None,
    db: Path,
    quiet: bool,
) -> None:
    """Export the game ID as a record, or the run ID as an archive (with -o run.tar.gz).

    ID is a game's id or the start of one, with at least one "/"; or a run's id, the start of one, or a name. Exporting
    a run again gives the same bytes, except for the time of the signature. 'bowerbird import' reads both.

    Archives are signed with this installation's key ('bowerbird keys'). An imported run keeps its original signature.
    """
    form = "json" if as_json else form
    if form is not None and form in offered("tables"):
        folder = _folder_of_tables(ref, form, output, is_signed=sign is not None, is_voided=correction is not None)
        _export_tables(ref, form, folder, db, quiet=quiet)
    elif output is not None and output.is_dir():
        raise InputError(f"{output} is a folder; name a file")
    elif "/" in ref:
        if form in offered("match"):
            raise InputError(f"{ref!r} is a game, and a file in {str(form).upper()} is a match; name a run")
        if sign:
            raise InputError(f"{ref!r} is a game, and only the archive of a whole run is signed; leave out --sign")
        _export_game(ref, form or "toml", output, db, correction)
    elif correction is not None:
        raise InputError(
            f"{ref!r} is a run, whose archive contains its voided games, too; --voided {correction} belongs to a game"
        )
    else:
        _export_run(ref, form, output, db, sign=sign, quiet=quiet)


def _folder_of_tables(ref: str, form: str, output: Path | None, *, is_signed: bool, is_voided: bool) -> Path:
    """Return the folder for the tables of a run. Raises InputError if the options don't fit a folder of tables."""
    if "/" in ref:
        raise InputError(f"{ref!r} is a game, and only a run is written as {form}; name a run")
    if output is None:
        raise InputError(f"{form} consists of several files; add -o FOLDER")
    if output.exists() and not output.is_dir():
        raise InputError(f"{output} is a file; name a folder")
    if is_signed or is_voided:
        raise InputError(
            f"{form} contains only the games that count, unsigned; leave out --sign, --no-sign and --voided"
        )
    return output


def _export_tables(ref: str, form: str, folder: Path, db: Path, *, quiet: bool) -> None:
    from bowerbird.engine import counted
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        run = store.run(ref)
        with progress_bar(f"exporting {run.fingerprint}", quiet) as progress:
            counts = offer("tables", form).write_tables(run, folder, form, progress)
    rows = ", ".join(f"{name}.{form} {counted(count, 'row')}" for name, count in counts.items())
    note(f"written to {folder}: {rows}")
    if run.row.ended is None:
        note(f"run {run.fingerprint} is not complete: these are its games so far")


def _export_game(ref: str, form: str, output: Path | None, db: Path, correction: int | None) -> None:
    from bowerbird.harness.records.store.atomic_file import replacing
    from bowerbird.harness.records.store.store import Store
    from bowerbird.harness.records.text.canonical import as_json as json_of
    from bowerbird.harness.records.text.reader import read

    with Store.open(db) as store:
        text = store.record_text(ref) if correction is None else voided_record(store, ref, correction).text
    if form == "json":
        text = f"{json_text(json_of(read(text)))}\n"
    elif form in offered("notation"):
        from bowerbird.harness.records.notation import NotationError

        notation: Notation = offer("notation", form)
        try:
            text = notation.written(read(text))
        except NotationError as error:
            raise InputError(f"{ref}: {error}") from error
    if output is None:
        if sys.stdout.isatty():
            for line in text.splitlines():
                echo(line)  # an untrusted database can contain any text
        else:
            click.echo(text, nl=False)
        return
    with replacing(output) as file:
        file.write(text.encode())
    note(f"written: {output}")


def _export_run(ref: str, form: str | None, output: Path | None, db: Path, *, sign: bool | None, quiet: bool) -> None:
    from bowerbird.engine import counted
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        run = store.run(ref)
        if form is not None and form in offered("notation"):
            if sign:
                raise InputError(f"{form.upper()} files are not signed; leave out --sign")
            _export_in_notation(run, form, output)
            return
        if form is not None and form in offered("match"):
            if sign:
                raise InputError(f"{form.upper()} files are not signed; leave out --sign")
            _export_match(run, form, output)
            return
        if form is not None:
            raise InputError(
                f"{ref!r} is a run, which is written as one archive, not as {form}; leave out --format and --json"
            )
        if output is None:
            raise InputError(f"run {run.fingerprint} can only be exported to a file: add -o {run.fingerprint}.tar.gz")
        with progress_bar(f"exporting {run.fingerprint}", quiet) as progress:
            written, signature = _write(run, output, progress, sign)
        beside = [line for part in offers("beside") if (line := part.write_beside(run, output))]
    parts = [counted(written.games, "game")]
    if written.stories:
        parts.append(f"stories of {counted(written.stories, 'fault')}")
    if written.notes:
        parts.append(counted(written.notes, "note"))
    if output.is_file():
        parts.append(f"{output.stat().st_size:,} bytes")
    note(f"written: {output}, {', '.join(parts)}")
    note(signature)
    if run.row.ended is None:
        note(
            f"run {run.fingerprint} is unfinished: the archive contains its games so far, without the digest of its "
            "results; resume the run and export it again"
        )
    for line in beside:
        note(line)


def _export_in_notation(run: StoredRun, form: str, output: Path | None) -> None:
    """Write every game of a run that the notation can express to a new folder.

    Print how many it cannot express, and why.
    """
    from collections import Counter

    from bowerbird.engine import counted
    from bowerbird.harness.records.notation import NotationError
    from bowerbird.harness.records.store.atomic_file import replacing
    from bowerbird.harness.records.text.reader import read

    if output is None:
        raise InputError(f"run {run.fingerprint} is written as a folder of files: add -o {run.fingerprint}-{form}")
    if output.exists():
        raise InputError(f"{output} exists; the files of a run are written to a new folder")
    notation: Notation = offer("notation", form)
    texts: dict[str, str] = {}
    left: Counter[str] = Counter()
    for name, text in run.record_texts():
        try:
            texts[name] = notation.written(read(text))
        except NotationError as error:
            left[str(error)] += 1
    if texts:
        output.mkdir()
        for name, text in texts.items():
            with replacing(output / f"{name.replace('/', ',')}.{form}") as file:
                file.write(text.encode())
        note(f"written: {output}, {counted(len(texts), 'game')}")
    for why, games in left.most_common():
        note(f"left out: {counted(games, 'game')}: {why}")
    if not texts:
        raise InputError(f"run {run.fingerprint} has no game that {form.upper()} can express; nothing was written")


def _export_match(run: StoredRun, form: str, output: Path | None) -> None:
    """Write every game of a run that the notation can express to one file. Print how many are left out, and why."""
    from bowerbird.engine import counted
    from bowerbird.harness.records.notation import NotationError
    from bowerbird.harness.records.store.atomic_file import replacing
    from bowerbird.harness.records.text.reader import read

    if output is None:
        raise InputError(f"run {run.fingerprint} can only be exported to a file: add -o {run.fingerprint}.{form}")
    notation: MatchNotation = offer("match", form)
    try:
        text, left = notation.written(run.fingerprint, (read(text) for _, text in run.record_texts()))
    except NotationError as error:
        raise InputError(f"run {run.fingerprint}: {error}") from error
    for why, games in left.most_common():
        note(f"left out: {counted(games, 'game')}: {why}")
    if not text:
        raise InputError(f"run {run.fingerprint} has no game that {form.upper()} can express; nothing was written")
    with replacing(output) as file:
        file.write(text.encode())
    note(f"written: {output}")


def _write(run: StoredRun, output: Path, progress: Progress, sign: bool | None) -> tuple[ArchivedRun, str]:
    """Write the archive of a run. Return a summary of its contents and a line about its signature.

    sign: True to sign or raise NotSignedError, False not to sign, None to sign if possible.
    """
    from bowerbird.harness.records.archive.archive import write_archive
    from bowerbird.harness.records.vouching import NotSignedError, signer_of

    why = "as --no-sign says"
    if sign is not False:
        try:
            signer = signer_of(run)
            return write_archive(run, output, progress, signer.sign), f"signed: {signer.by}"
        except NotSignedError as error:
            if sign:
                raise InputError(f"run {run.fingerprint} cannot be signed: {error.args[0]}") from error
            why = str(error.args[0])
    return write_archive(run, output, progress), f"not signed: {why}"
