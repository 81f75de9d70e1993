"""Serves the pages of a database until a signal, for `bowerbird serve`."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.output import echo, note
from bowerbird.harness.cli.shared.serving import first_line, own_child, require_extra, split_address

NICENESS = 5
"""The niceness of the pages' process, so that runs and bots on the same machine come first."""


def serve_pages(
    db: Path, listen: str, *, prefix: str, is_behind_proxy: bool, play: bool = False, with_parent: bool = False
) -> None:
    """Serve the pages of a database until a signal, and print their address on stdout.

    play: let a browser on this machine play, served by a separate process that only this machine can reach.

    Raises InputError if the address or the prefix cannot be used, StoreError if the database cannot be read.
    """
    require_extra()
    from bowerbird.harness.extras.serve.app import is_prefix
    from bowerbird.harness.extras.serve.server import serve
    from bowerbird.harness.extras.serve.settings import LOCAL_HOSTS, Settings
    from bowerbird.harness.records.store.store import Store

    if prefix and not is_prefix(prefix):
        raise InputError(f"--prefix: got {prefix!r}; must be a path such as /euchre (letters, digits, .-_~)")
    with _listening(listen) as listening:
        host = str(listening.getsockname()[0])
        is_local = host in ("127.0.0.1", "::1")
        hosts = LOCAL_HOSTS if is_local and not is_behind_proxy else None
        address = f"{_address(listening)}{prefix}"
        settings = Settings(db, prefix=prefix, hosts=hosts, is_behind_proxy=is_behind_proxy)
        with _table_beside(db, address) if play else nullcontext():  # it creates the database
            if not with_parent:  # a run creates its database after this process has started
                Store.open(db).close()
            os.nice(NICENESS)
            echo(f"the pages: {address}/")
            sys.stdout.flush()
            if not is_local:
                note(f"anyone who reaches {host} can read them")
            serve(settings, listening, until_stdin_ends=with_parent)


@contextmanager
def _table_beside(db: Path, pages: str) -> Iterator[None]:
    """Let a browser on this machine play while the block runs.

    The server of the pages only reads, so a separate process records the games. Raises InputError if that process does
    not start.
    """
    with own_child(["play", "--browser", "--db", str(db), "--pages", pages, "--with-parent"]) as (process, errors):
        line, why = first_line(process, errors)
        if not line:
            raise InputError(f"--play: {why}")
        echo(line)
        yield


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"


def _listening(listen: str) -> socket.socket:
    from bowerbird.harness.extras.serve.server import bound

    address, port = split_address(listen)
    try:
        return bound(address, port)
    except OSError as error:
        if error.errno in (98, 48):
            why = f"another program listens there; use another port, such as {address}:{port + 1}, or 0 for a free one"
        else:
            why = f"{error.strerror or error}; must be an address of this machine"
        raise InputError(f"--listen {listen}: {why}") from None
