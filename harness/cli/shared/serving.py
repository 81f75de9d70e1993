"""Live pages during a run (`--serve`), from a second process: `bowerbird serve` of this installation."""

from __future__ import annotations

import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import click

from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.output import note
from bowerbird.harness.extensions import extensions

DEFAULT_LISTEN = "127.0.0.1:4712"

START_S = 120.0
"""Time limit for the start of the server, in seconds. The run does not wait for it."""

END_S = 30.0
"""Time limit for its end, in seconds."""

_ENTRY = "from bowerbird.harness.cli.entry import main; main()"

serve_option = click.option(
    "--serve",
    "serve",
    is_flag=False,
    flag_value=DEFAULT_LISTEN,
    metavar="[ADDRESS:PORT]",
    help=f"Serve live web pages of the run, on {DEFAULT_LISTEN} or this address.",
)


def own_command(arguments: Sequence[str]) -> list[str]:
    """Return the command line that runs a command of ours in its own process."""
    return [sys.executable, "-c", _ENTRY, *arguments]


def require_extra() -> None:
    """Raise InputError if this installation lacks the command `serve` or a package that it needs."""
    parts = [one for one in extensions().values() if any("serve" in lines for lines in one.commands.values())]
    if not parts:
        raise InputError("this installation was built without the pages of 'bowerbird serve'")
    if any(find_spec(library) is None for library in parts[0].libraries):
        raise InputError("the pages need the extra bowerbird[serve]; install it with: pip install 'bowerbird[serve]'")


def split_address(listen: str) -> tuple[str, int]:
    """Return the address and the port in ADDRESS:PORT. Raises InputError for any other form."""
    address, colon, port = listen.rpartition(":")
    address = address.removeprefix("[").removesuffix("]")
    if not (colon and address and port.isdecimal() and int(port) < 65536):
        raise InputError(f"{listen!r} is not of the form ADDRESS:PORT, such as {DEFAULT_LISTEN}")
    return address, int(port)


@contextmanager
def pages_beside(db: Path, listen: str | None) -> Iterator[None]:
    """Serve the pages of a database in its own process while the block runs; do nothing if `listen` is None.

    Print the address, or why there are no pages; the run then continues without them. The server always ends with this
    process. After a successful run it waits until connected browsers have shown the end of the run: a few seconds, at
    most END_S. Ctrl-C cuts this short.
    """
    if listen is None:
        yield
        return
    require_extra()
    split_address(listen)
    with own_child(["serve", "--db", str(db), "--listen", listen, "--with-parent"]) as (server, errors):
        line, why = first_line(server, errors)
        if line:
            note(f"{line} (while this run is played; bowerbird serve shows it again)")
        else:
            ours = why.removeprefix("bowerbird: ").replace("--listen", "--serve", 1)
            note(f"no pages: {ours}; the run goes on without them")
        yield


@contextmanager
def own_child(arguments: Sequence[str]) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """Run a command of ours in its own process during the block; yield it and the file of its stderr.

    Afterwards close its stdin, which tells it to end. On an error, including Ctrl-C, end it at once.
    """
    with (
        TemporaryFile() as errors,
        subprocess.Popen(
            own_command(arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            process_group=0,
        ) as process,
    ):
        try:
            yield process, errors
            assert process.stdin is not None  # it is a pipe
            process.stdin.close()
            _wait(process)
        except BaseException:
            process.terminate()
            _wait(process)
            raise


def _wait(server: subprocess.Popen[bytes]) -> None:
    """Wait for a server that has been told to end; kill it if it takes too long."""
    try:
        server.wait(END_S)
    except subprocess.TimeoutExpired:
        server.kill()


def first_line(process: subprocess.Popen[bytes], errors: IO[bytes]) -> tuple[str, str]:
    """Return the first line of a process, which is its address, or "" and the reason why it did not start."""
    assert process.stdout is not None  # it is a pipe
    ready, _, _ = select.select([process.stdout], [], [], START_S)
    line = process.stdout.readline().decode(errors="replace").strip() if ready else ""
    if line:
        return line, ""
    if not ready:
        return "", "they did not start in time"
    process.wait(START_S)
    errors.seek(0)
    why = errors.read(2000).decode(errors="replace").strip().splitlines()
    return "", why[0] if why else "the server ended at once"
