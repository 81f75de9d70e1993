"""`bowerbird serve`."""

from __future__ import annotations

from pathlib import Path

import click

from bowerbird.harness.cli.shared.options import db_option, debug_option, examples
from bowerbird.harness.cli.shared.serving import DEFAULT_LISTEN


@click.command(
    "serve",
    epilog=examples("serve", "serve --play", "serve --listen 0.0.0.0:8080", "serve --prefix /euchre --behind-proxy"),
)
@click.option(
    "--listen",
    default=DEFAULT_LISTEN,
    show_default=True,
    metavar="ADDRESS:PORT",
    help="The address of the pages; port 0 takes a free one. By default only this machine can see them.",
)
@click.option(
    "--prefix",
    default="",
    metavar="/PATH",
    help="What the addresses of the pages begin with, if a proxy shows them below a path.",
)
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="Believe X-Forwarded-For and X-Forwarded-Prefix. Only if nobody but a proxy can connect.",
)
@click.option(
    "--play",
    is_flag=True,
    help="Also let the browser of this machine play: print a second address, which holds a secret.",
)
@click.option("--with-parent", is_flag=True, hidden=True, help="Stop when stdin ends.")
@db_option
@debug_option
def command(*, listen: str, prefix: str, behind_proxy: bool, play: bool, with_parent: bool, db: Path) -> None:
    """Show the recorded runs to browsers, also while they are played.

    The pages can only be read. They show standings, crosstables, bots, games and tables in play, and move while a run
    is played by another process. Each has a .json beside it. Ctrl-C stops the server; runs go on. With --play you set
    tables on a second page, as with bowerbird play --browser.
    """
    from bowerbird.harness.extras.serve.serving import serve_pages

    serve_pages(db, listen, prefix=prefix, is_behind_proxy=behind_proxy, play=play, with_parent=with_parent)
