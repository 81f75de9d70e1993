"""The address of a cluster: the value of `--cluster`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from bowerbird.harness.records.quoting import shown
from bowerbird.harness.tournament.errors import MachinesError

MOST_LOCAL_WORKERS = 256

_LOCAL = re.compile(r"local:(\d{1,9})")
_SCHEDULER = re.compile(r"(tls|tcp)://(\[[0-9A-Fa-f:.]+\]|[^:/\[\]\s]+):(\d{1,5})")

ALLOWED = "tls://HOST:PORT of a Dask scheduler, or local:N for N workers on this machine"


MAX_SLOWDOWN = 1.5
"""How many times slower than the fastest machine a worker may be by default."""


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """Where a cluster is.

    scheduler: the address of a Dask scheduler; "" for workers that this process starts.
    local_workers: how many workers it starts; 0 with a scheduler.
    """

    scheduler: str
    local_workers: int = 0

    @property
    def is_encrypted(self) -> bool:
        """Whether all traffic is encrypted and both sides show certificates."""
        return not self.scheduler.startswith("tcp:")

    def __str__(self) -> str:
        """Return the address as the user typed it."""
        return self.scheduler or f"local:{self.local_workers}"


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """How a run uses a cluster.

    tls: the folder with its certificates; None for the files in Dask's own configuration.
    max_slowdown: how many times slower than the fastest machine a worker may be.
    """

    address: ClusterAddress
    tls: Path | None = None
    max_slowdown: float = MAX_SLOWDOWN

    def __post_init__(self) -> None:
        """Raise MachinesError if there are certificates and the address does not use TLS."""
        if self.tls is not None and not self.address.scheduler.startswith("tls:"):
            raise MachinesError(f"cluster {self.address}: --cluster-tls is only for tls://")


def parse_address(text: str, *, allow_insecure: bool = False) -> ClusterAddress:
    """Parse the address that a user typed. Raises MachinesError with the allowed forms.

    allow_insecure: whether plain TCP to another machine is allowed.
    """
    if local := _LOCAL.fullmatch(text):
        workers = int(local[1])
        if not 1 <= workers <= MOST_LOCAL_WORKERS:
            raise MachinesError(f"cluster {text}: must be 1 to {MOST_LOCAL_WORKERS} workers on this machine")
        return ClusterAddress("", workers)
    found = _SCHEDULER.fullmatch(text)
    if found is None or not 1 <= int(found[3]) <= 65535:
        raise MachinesError(f"cluster {shown(text)}: must be {ALLOWED}")
    protocol, host, _ = found.groups()
    if protocol == "tcp" and not allow_insecure and not _is_this_machine(host):
        raise MachinesError(
            f"cluster {text}: over plain TCP, anyone on the way can read the seed and run programs on the workers; "
            "use tls:// (bowerbird cluster certificates makes what it needs), or allow it with --insecure-cluster"
        )
    return ClusterAddress(text)


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def missing_library(error: ModuleNotFoundError) -> MachinesError:
    """Return the error for a missing library that `--cluster` needs."""
    return MachinesError(f"--cluster needs the library {error.name!r}: pip install 'bowerbird[cluster]'")
