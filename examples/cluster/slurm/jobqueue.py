"""Plays a tournament file on workers that dask-jobqueue submits to Slurm, from a login node.

    pip install dask-jobqueue
    python jobqueue.py autumn.toml --certificates certificates --jobs 4 --cores 8 --memory 16GB

The scheduler and the run stay in this process and its child: keep them alive, with tmux for example. What follows `--`
goes to `bowerbird tournament`, such as `-- --resume`. The certificates must be in a folder that all nodes see.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from dask_jobqueue import SLURMCluster
from distributed.security import Security


def security(folder: Path) -> Security:
    """Return the certificates of a folder, for all roles."""
    files = {"cert": str(folder / "certificate.pem"), "key": str(folder / "key.pem")}
    roles = ("client", "scheduler", "worker")
    return Security(
        require_encryption=True,
        tls_ca_file=str(folder / "ca.pem"),
        **{f"tls_{role}_{name}": file for role in roles for name, file in files.items()},
    )


def cluster(arguments: argparse.Namespace) -> SLURMCluster:
    """Return a cluster without workers: each job of it is one node with a worker for each core."""
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
        # The last --memory-limit counts. Dask knows only the memory of its worker, not that of the bots.
        worker_extra_args=["--memory-limit", "0", "--dashboard-address", "127.0.0.1:0"],
        local_directory="/tmp",
        job_extra_directives=["--exclusive"],
    )


def main() -> int:
    """Play the file. Return the exit code of the run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", help="the tournament file")
    parser.add_argument("options", nargs="*", help="options of bowerbird tournament, after --")
    parser.add_argument("--certificates", type=Path, required=True, help="made by bowerbird cluster certificates")
    parser.add_argument("--jobs", type=int, required=True, help="how many nodes")
    parser.add_argument("--cores", type=int, required=True, help="of each node")
    parser.add_argument("--memory", required=True, help="of each node, such as 16GB")
    parser.add_argument("--time", default="04:00:00", help="of each job")
    parser.add_argument("--queue", help="the partition")
    parser.add_argument("--interface", help="the network interface of nodes and of this machine, such as ib0")
    arguments = parser.parse_args()
    with cluster(arguments) as started:
        started.scale(jobs=arguments.jobs)  # a fixed size: `adapt` would end workers that play
        started.wait_for_workers(1)  # others may join later
        address = ["--cluster", started.scheduler_address, "--cluster-tls", str(arguments.certificates)]
        bowerbird = Path(sys.executable).with_name("bowerbird")
        command = [bowerbird, "tournament", arguments.file, *arguments.options, *address]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
