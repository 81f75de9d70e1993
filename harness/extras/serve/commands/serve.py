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
    help="The address of the pages. Port 0 picks a free one. By default only this machine can see them.",
)
@click.option(
    "--prefix",
    default="",
    metavar="/PATH",
    help="The URL prefix, if a proxy serves the pages below a path.",
)
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="Trust X-Forwarded-For and X-Forwarded-Prefix. Use it only if nobody but the proxy can connect.",
)
@click.option(
    "--play",
    is_flag=True,
    help="Also let a browser on this machine play: print a second address, which contains a secret.",
)
@click.option("--with-parent", is_flag=True, hidden=True, help="Stop when stdin ends.")
@db_option
@debug_option
def command(*, listen: str, prefix: str, behind_proxy: bool, play: bool, with_parent: bool, db: Path) -> None:
    """Serve web pages of the recorded runs, live while they are played.

    The read-only pages show standings, crosstables, bots, games and live tables, and update while another process
    plays. Each page has a .json version. Ctrl-C stops the server; runs go on. With --play you can also play against
    bots, as with 'bowerbird play --browser'.
    """
    from bowerbird.harness.extras.serve.serving import serve_pages

    serve_pages(db, listen, prefix=prefix, is_behind_proxy=behind_proxy, play=play, with_parent=with_parent)
