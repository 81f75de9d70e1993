"""The files of the example of a cluster use options that exist; nothing is started here."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import click
import pytest

from tests.support.deadline import DEADLINE_S
from tests.support.paths import DOCS, ROOT

FOLDER = ROOT / "examples" / "cluster"
FILES = sorted(path for path in FOLDER.rglob("*") if path.suffix in {".sh", ".sbatch", ".yaml", ".py"})
SCRIPTS = [path for path in FILES if path.suffix in {".sh", ".sbatch"}]
PAGE = DOCS / "how-to" / "cluster.md"
JOBQUEUE = FOLDER / "slurm" / "jobqueue.py"
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
    *("--cores", "--memory", "--time", "--queue", "--interface"),
}
"""Options of Bowerbird and of jobqueue.py."""
OTHERS = {
    *("--nodes", "--job-name", "--exclusive", "--ntasks-per-node", "--signal", "--cpu-bind", "--kill-on-bad-exit"),
    *("--from-file", "--for", "--timeout", "--follow"),
    *("--tag", "--target", "--directory"),
}
"""Options of Slurm, kubectl, docker and hatchling."""


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


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_read_by_bash(path: Path) -> None:
    subprocess.run(["bash", "-n", path], check=True, timeout=DEADLINE_S)


def test_the_name_of_the_scheduler_is_that_of_the_operator() -> None:
    """The operator calls the service after the cluster."""
    cluster, run = ((FOLDER / "kubernetes" / name).read_text(encoding="utf-8") for name in ("cluster.yaml", "run.yaml"))
    named = re.search(r"kind: DaskCluster\nmetadata:\n  name: (\S+)", cluster)
    assert named is not None
    address = f"tls://{named[1]}-scheduler:8786"
    assert address in cluster
    assert address in run


@pytest.fixture(scope="module")
def jobqueue() -> ModuleType:
    """Return jobqueue.py as a module."""
    spec = importlib.util.spec_from_file_location("jobqueue", JOBQUEUE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_command_line_that_jobqueue_documents_is_read(jobqueue: ModuleType) -> None:
    documented = re.findall(r"python jobqueue\.py (.*)", jobqueue.__doc__ or "")
    assert documented
    for line in documented:
        words = line.split()
        arguments, options = jobqueue.parsed(words)
        assert (arguments.file, arguments.jobs, arguments.cores, arguments.memory) == ("autumn.toml", 4, 8, "16GB")
        assert options == (["--resume"] if "--resume" in words else [])


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_jobqueue_lets_the_run_end_in_order(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C goes to all processes of a terminal, SIGTERM to the parent alone. The run takes a second to end."""
    (tmp_path / "run.py").write_text(
        "import signal, sys, time\n"
        "def end(*_):\n"
        "    time.sleep(1)\n"
        "    sys.exit(7)\n"
        "signal.signal(signal.SIGINT, end)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n",
        encoding="utf-8",
    )
    code = "import sys, jobqueue; sys.exit(jobqueue.play([sys.executable, 'run.py']))"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(JOBQUEUE.parent)},
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        if number is signal.SIGINT:
            os.killpg(parent.pid, number)
        else:
            parent.send_signal(number)
        assert parent.wait(30) == 7


def test_deleting_the_run_leaves_its_results() -> None:
    """`kubectl delete -f run.yaml` ends the run; the volume is in a file of its own."""
    assert "PersistentVolumeClaim" not in (FOLDER / "kubernetes" / "run.yaml").read_text(encoding="utf-8")
    assert "PersistentVolumeClaim" in (FOLDER / "kubernetes" / "volume.yaml").read_text(encoding="utf-8")
