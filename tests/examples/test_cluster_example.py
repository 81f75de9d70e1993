"""The files of the example of a cluster use options that exist; nothing is started here."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import click
import pytest

from tests.support.paths import DOCS, ROOT

FOLDER = ROOT / "examples" / "cluster"
FILES = sorted(path for path in FOLDER.rglob("*") if path.suffix in {".sh", ".sbatch", ".yaml", ".py"})
SCRIPTS = [path for path in FILES if path.suffix in {".sh", ".sbatch"}]
PAGE = DOCS / "how-to" / "cluster.md"
OWN = {
    *(
        "--cluster",
        "--cluster-tls",
        "--resume",
        "--insecure-cluster",
        "--max-slowdown",
        "--isolation",
        "--jobs",
        "--variant",
    ),
    *("--certificates", "--cores", "--memory", "--time", "--queue", "--interface"),
}
"""Options of Bowerbird and of jobqueue.py."""
OTHERS = {
    *("--nodes", "--job-name", "--exclusive", "--ntasks-per-node", "--signal", "--cpu-bind", "--kill-on-bad-exit"),
    *("--from-file", "--for", "--timeout"),
}
"""Options of Slurm and Kubernetes."""


def dask_options() -> set[str]:
    """Return the options of `dask scheduler` and `dask worker`."""
    scheduler = pytest.importorskip("distributed.cli.dask_scheduler").main
    worker = pytest.importorskip("distributed.cli.dask_worker").main
    assert isinstance(scheduler, click.Command)
    assert isinstance(worker, click.Command)
    return {
        option
        for command in (scheduler, worker)
        for one in command.params
        for option in (*one.opts, *one.secondary_opts)
    }


@pytest.mark.parametrize("path", [*FILES, PAGE], ids=lambda path: path.name)
def test_an_option_that_is_used_exists(path: Path) -> None:
    used = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", path.read_text(encoding="utf-8")))
    assert used <= dask_options() | OWN | OTHERS


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_read_by_bash(path: Path) -> None:
    subprocess.run(["bash", "-n", path], check=True, timeout=30)


def test_the_name_of_the_scheduler_is_that_of_the_operator() -> None:
    """The operator calls the service after the cluster."""
    cluster, run = ((FOLDER / "kubernetes" / name).read_text(encoding="utf-8") for name in ("cluster.yaml", "run.yaml"))
    named = re.search(r"kind: DaskCluster\nmetadata:\n  name: (\S+)", cluster)
    assert named is not None
    address = f"tls://{named[1]}-scheduler:8786"
    assert address in cluster
    assert address in run
