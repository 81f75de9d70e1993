"""`bowerbird datasette DB`."""

from __future__ import annotations

from pathlib import Path

import click

from bowerbird.harness.cli.shared.options import debug_option, examples


@click.command("datasette", epilog=examples("datasette results/bowerbird.db", "datasette other.db"))
@click.argument("db", metavar="DB", type=click.Path(path_type=Path, dir_okay=False))
@debug_option
def command(db: Path) -> None:
    """Print metadata for browsing the database DB with Datasette.

    The metadata describes every table and column, and adds facets and canned queries. Datasette is a separate program:
    install it, save the output as metadata.json, and run 'datasette -i DB -m metadata.json'.
    """
    from bowerbird.harness.cli.datasette_metadata import metadata
    from bowerbird.harness.cli.shared.output import print_json
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        store.runs()  # refuse a file that is not a database of Bowerbird
    print_json(metadata(db.stem))
