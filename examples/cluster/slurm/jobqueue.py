"""Plays a tournament file from a login node, on workers that dask-jobqueue submits to Slurm.

    pip install dask-jobqueue
    python jobqueue.py autumn.toml --jobs 4 --cores 8 --memory 16GB
    python jobqueue.py autumn.toml --jobs 4 --cores 8 --memory 16GB -- --resume

Options after `--` are passed to `bowerbird tournament`. The scheduler runs in this process and the run in its child:
keep them alive, for example with tmux. After `--time` all workers end and are not replaced; 60 s later the run stops.

CERTIFICATES names the folder that `bowerbird cluster certificates` made (~/bowerbird-certificates); all nodes must see
it. LOCAL_DISK names a folder on a local disk of each node; bots are unpacked and built below it (/tmp).
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dask_jobqueue import SLURMCluster
    from distributed.security import Security


def security(folder: Path) -> Security:
    """Return the certificates in a folder, for all roles."""
    from distributed.security import Security

    files = {"cert": str(folder / "certificate.pem"), "key": str(folder / "key.pem")}
    roles = ("client", "scheduler", "worker")
    return Security(
        require_encryption=True,
        tls_ca_file=str(folder / "ca.pem"),
        **{f"tls_{role}_{name}": file for role in roles for name, file in files.items()},
    )


def own_folder(local_disk: str) -> list[str]:
    """Return the lines of a job script that make a private folder for its bots on the node's disk."""
    return [
        "umask 077",
        f"own={shlex.quote(local_disk)}/bowerbird-$(id -u)",
        'mkdir -p "$own" && [ ! -L "$own" ] && [ -O "$own" ] && chmod 700 "$own" || exit 1',
        'export XDG_CACHE_HOME="$own/cache"',
    ]


def cluster(arguments: argparse.Namespace) -> SLURMCluster:
    """Return a cluster without workers. Each of its jobs is one node with a worker for each core."""
    from dask_jobqueue import SLURMCluster

    return SLURMCluster(
        cores=arguments.cores,
        processes=arguments.cores,  # so each has one thread
        memory=arguments.memory,
        walltime=arguments.time,
        queue=arguments.queue,
        interface=arguments.interface,
        protocol="tls://",
        security=security(arguments.certificates.absolute()),
        scheduler_options={"dashboard_address": "127.0.0.1:0"},
        # The last --memory-limit takes effect. Dask sees only its worker's memory, not that of the bots.
        worker_extra_args=["--memory-limit", "0", "--dashboard-address", "127.0.0.1:0"],
        job_script_prologue=own_folder(arguments.local_disk),
        local_directory='"$own"',
        job_extra_directives=["--exclusive"],
    )


def parsed(words: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Return the arguments, and the options after `--` for `bowerbird tournament`."""
    end = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(
        usage="%(prog)s FILE --jobs N --cores N --memory SIZE [OPTION]... [-- OPTION OF bowerbird tournament...]"
    )
    parser.add_argument("file", metavar="FILE", help="the tournament file")
    parser.add_argument("--jobs", type=int, required=True, help="number of nodes")
    parser.add_argument("--cores", type=int, required=True, help="cores of each node")
    parser.add_argument("--memory", required=True, help="memory of each node, such as 16GB")
    parser.add_argument(
        "--time", default="04:00:00", help="length of each job; its workers then end (default: %(default)s)"
    )
    parser.add_argument("--queue", help="the partition")
    parser.add_argument("--interface", help="the network interface of the nodes and of this machine, such as ib0")
    environment = os.environ
    parser.set_defaults(
        certificates=Path(environment.get("CERTIFICATES", Path.home() / "bowerbird-certificates")),
        local_disk=environment.get("LOCAL_DISK", "/tmp"),
    )
    return parser.parse_args(words[:end]), list(words[end + 1 :])


def play(command: Sequence[str | Path]) -> int:
    """Run a command until it ends, and return its exit code.

    The terminal sends Ctrl-C to it, too: the run then stores what is complete and ends its bots. This function passes
    on SIGTERM.
    """
    with subprocess.Popen(command) as run:

        def pass_on(number: int, _: FrameType | None) -> None:
            run.send_signal(number)

        signal.signal(signal.SIGINT, lambda *_: None)
        signal.signal(signal.SIGTERM, pass_on)
        return run.wait()


def end(number: int, _: FrameType | None) -> None:
    """Exit cleanly, which cancels the jobs."""
    sys.exit(128 + number)


def main() -> int:
    """Play the file. Return the exit code of the run."""
    arguments, options = parsed(sys.argv[1:])
    signal.signal(signal.SIGTERM, end)
    with cluster(arguments) as started:
        started.scale(jobs=arguments.jobs)  # a fixed size: `adapt` would end workers that are playing
        print(f"waiting for the first of {arguments.jobs} jobs; squeue shows them, Ctrl-C cancels them", flush=True)
        started.wait_for_workers(1)  # others may join later
        address = ["--cluster", started.scheduler_address, "--cluster-tls", str(arguments.certificates)]
        bowerbird = Path(sys.executable).with_name("bowerbird")
        return play([bowerbird, "tournament", arguments.file, *options, *address])


if __name__ == "__main__":
    sys.exit(main())
