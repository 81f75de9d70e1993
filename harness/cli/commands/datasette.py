"""`bowerbird datasette DB`."""

from __future__ import annotations

from pathlib import Path

import click

from bowerbird.harness.cli.shared.options import debug_option, examples


@click.command("datasette", epilog=examples("datasette results/bowerbird.db", "datasette other.db"))
@click.argument("db", metavar="DB", type=click.Path(path_type=Path, dir_okay=False))
@debug_option
def command(db: Path) -> None:
    """Print the metadata with which Datasette shows the database DB.

    It describes every table and column, and has facets and canned queries. Datasette is a program of its own: install
    it, send the output to metadata.json, and run 'datasette -i DB -m metadata.json'.
    """
    from bowerbird.harness.cli.datasette_metadata import metadata
    from bowerbird.harness.cli.shared.output import print_json
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        store.runs()  # refuse a file that is no database of Bowerbird
    print_json(metadata(db.stem))
