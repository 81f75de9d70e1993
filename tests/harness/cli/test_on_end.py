"""The command for the end of a run: whatever happens to it, the results stay (tournament-file.md, The tournament)."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bowerbird.harness.cli.shared.on_end import run_on_end
from bowerbird.harness.records.store.changes import delete_run
from bowerbird.harness.records.store.sidecar import OnEndFile
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.tournament_file import load_tournament, stored_tournament
from bowerbird.harness.tournament.errors import ConfigError
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.table_players import LocalTables
from tests.support.tournament.voided_runs import planned, play


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    made = Yard(tmp_path)
    made.bot("alpha")
    made.bot("beta")
    return made


@pytest.fixture
def run(yard: Yard, tmp_path: Path) -> StoredRun:
    plan = planned(yard, "sets = 1")
    store = Store.create(tmp_path / "x.db")
    play(plan, store, LocalTables(plan.file.bots))
    return store.run()


def python(program: str) -> tuple[str, ...]:
    return sys.executable, "-c", program


@pytest.mark.usefixtures("processes")
def test_the_command_runs_in_the_folder_of_the_file_and_knows_the_run(run: StoredRun, tmp_path: Path) -> None:
    names = "('BOWERBIRD_RUN', 'BOWERBIRD_RUN_NAME', 'BOWERBIRD_DB')"
    program = f"import os; open('told', 'w').write(' '.join(os.environ[name] for name in {names}))"
    run_on_end(python(program), tmp_path, run)
    assert (tmp_path / "told").read_text() == f"{run.fingerprint} {run.row.name} {run.store.path.resolve()}"


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (python("raise SystemExit(3)"), "ended with exit status 3"),
        (python("import os; os.kill(os.getpid(), 9)"), "ended with signal 9"),
        (("./there-is-no-such-program",), "does not start: No such file or directory"),
        (("/",), "does not start: Permission denied"),
    ],
)
def test_a_command_that_fails_is_told_in_one_line(
    run: StoredRun, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str
) -> None:
    run_on_end(words, tmp_path, run)
    assert capsys.readouterr().err == f"on_end: {words[0]} {told}; the results of run {run.fingerprint} stand\n"


def is_gone(pid: int) -> bool:
    """Return whether a process has ended, or is a zombie that somebody still has to wait for."""
    state = Path(f"/proc/{pid}/stat")
    try:
        return state.read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.usefixtures("processes")
def test_a_command_that_hangs_is_killed_with_what_it_started(
    run: StoredRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    child = "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)']); "
    program = f"{child}open('pid', 'w').write(str(p.pid)); p.wait()"
    waited = 0.5
    while not (tmp_path / "pid").exists() and waited < 60:  # a loaded machine may not start it in time
        waited *= 2
        run_on_end(python(program), tmp_path, run, longest_s=waited)
    assert f"took longer than {waited:g} s and was killed" in capsys.readouterr().err
    pid = int((tmp_path / "pid").read_text())
    while not is_gone(pid):
        os.sched_yield()


@pytest.mark.usefixtures("processes")
def test_an_interrupted_command_is_killed_and_the_results_stand(
    run: StoredRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "ready")

    def interrupt() -> None:
        (tmp_path / "ready").read_text()
        os.kill(os.getpid(), signal.SIGINT)

    waiter = threading.Thread(target=interrupt)
    waiter.start()
    run_on_end(python("open('ready', 'w').write('x'); import time; time.sleep(1000)"), tmp_path, run)
    waiter.join()
    assert "was interrupted and killed" in capsys.readouterr().err


def test_nothing_runs_without_a_command(run: StoredRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)
    run_on_end((), tmp_path, run)


def test_the_command_is_of_the_file_and_never_of_what_is_stored(yard: Yard) -> None:
    file = load_tournament(yard.tournament('on_end = ["sh", "publish.sh"]'))
    assert file.on_end == ("sh", "publish.sh")
    stored = resolved_text(file)
    assert "on_end" not in stored
    forged = stored.replace("[tournament]\n", '[tournament]\non_end = ["sh", "steal.sh"]\n')
    assert stored_tournament(forged, file.folder, "an archive").on_end == ()
    with pytest.raises(ConfigError, match="must be a program"):
        load_tournament(yard.tournament('on_end = [""]'))


def test_it_is_kept_beside_the_database_for_its_owner_alone(run: StoredRun) -> None:
    kept = OnEndFile(run.store.path, run.fingerprint)
    assert kept.read() == ()
    kept.keep(("sh", "publish.sh", ""))
    assert kept.read() == ("sh", "publish.sh", "")
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600
    kept.keep(("sh",))
    assert kept.read() == ("sh",)
    kept.keep(())
    assert not kept.path.exists()
    kept.remove()


@pytest.mark.parametrize("text", ["", "{}", "[1]", "[[]]", '[""]', '"sh"'])
def test_what_is_no_command_is_none(run: StoredRun, text: str) -> None:
    kept = OnEndFile(run.store.path, run.fingerprint)
    kept.path.write_text(text)
    assert kept.read() == ()


def test_a_deleted_run_leaves_no_command(run: StoredRun) -> None:
    kept = OnEndFile(run.store.path, run.fingerprint)
    kept.keep(("sh",))
    delete_run(run.store.path, run.fingerprint)
    assert not kept.path.exists()


ENDS = """
[tournament]
sets = 1
unit = "deals"
seed = "ends"
on_end = ["sh", "-c", "echo $BOWERBIRD_RUN >> ended"]
[[variant]]
name = "euchre"
"""


def test_a_resumed_run_runs_it_too(bowerbird: Bowerbird) -> None:
    """Without the file as well, and after a correction; never where the run was imported."""
    file = bowerbird.tournament(ENDS, bowerbird.bundled("greedy"), bowerbird.bundled("random"))
    ended = bowerbird.folder / "ended"
    bowerbird.done("tournament", file.name, "--db", "x.db", "--quiet")
    run = ended.read_text().strip()
    bowerbird.done("void", run, "euchre-0", "--why", "a test", "--yes", "--db", "x.db")
    bowerbird.done("runs", "resume", run, "--db", "x.db", "--quiet")
    assert ended.read_text().split() == [run, run]
    bowerbird.done("export", run, "--db", "x.db", "-o", "run.tar.gz", "--no-sign", "--quiet")
    bowerbird.done("import", "run.tar.gz", "--db", "y.db", "--untrusted")
    assert sorted(path.name for path in bowerbird.folder.glob("*.on_end")) == [f"x.db-{run}.on_end"]
