"""What a bot's processes share with each other and with the referee: rows 35, 38 and 44 of faults.md.

Each attempt is also made without protection, where it must succeed: an attempt that cannot succeed proves nothing.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import bowerbird.harness.referee.process.supervisor_handle
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_record import OWN_USER
from bowerbird.harness.referee.isolation.staging import SCRATCH_FILES
from tests.support.command.bowerbird_command import GOOD, Bowerbird
from tests.support.command.ordinary_command import can_run_as_another, ordinary_command, readable_python
from tests.support.deadline import DEADLINE_S
from tests.support.records.every_game import every_game
from tests.support.referee.channels import Heard, listen
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.isolated import nothing_worked, play_beside_honest_bots, printed, require
from tests.support.referee.supervisor_programs import UNGROUPED
from tests.support.referee.tables import bot

OWN_CHANNELS = (
    "page cache (RWF_NOWAIT) of own file",
    "page cache (mincore) of own file",
    "page cache (timing) of own file",
    "time of access of own file",
    "lock of own file",
)
CLOSED_CHANNELS = (
    *OWN_CHANNELS,
    "time of access of shared file",
    "lock of shared file",
    "abstract socket",
    "open files",
    "threads",
)
"""What a sandbox closes. The page cache of shared files, the load and the inode numbers remain (faults.md)."""

NEVER_IN_DOUBT = ("time of access of own file", "lock of own file", "abstract socket", "lock of shared file")
"""Channels that carry every bit on any machine if nothing stops them, however busy it is."""

OPEN_CHANNELS = (
    "page cache (RWF_NOWAIT) of shared file",
    "page cache (mincore) of shared file",
    "page cache (timing) of shared file",
    "inode numbers",
    "free memory",
    "load",
)


def _text(heard: Heard) -> str:
    return f"{heard.channel}: {heard.right} of {heard.of}"


@pytest.mark.row(35)
def test_without_a_sandbox_two_seats_of_one_bot_talk_through_files(tmp_path: Path) -> None:
    heard = listen(NEVER_IN_DOUBT, 16, tmp_path, "none")
    assert all(one.of >= 8 and one.right == one.of for one in heard), [_text(one) for one in heard]


@pytest.mark.row(35)
def test_in_a_sandbox_two_seats_of_one_bot_only_guess_through_their_own_files(tmp_path: Path, seen: Seen) -> None:
    require("sandbox")
    heard = listen(CLOSED_CHANNELS, 32, tmp_path, "sandbox")
    assert all(one.of >= 16 for one in heard), [_text(one) for one in heard]
    assert all(one.is_guessing for one in heard), [_text(one) for one in heard]
    seen(f"{len(heard)} channels: at most {max(one.right for one in heard)} of {heard[0].of} bits guessed right")


@pytest.mark.long
@pytest.mark.row(35)
@pytest.mark.parametrize("tier", ["none", "sandbox"])
def test_two_hundred_hands_through_every_channel(tmp_path: Path, seen: Seen, tier: str) -> None:
    """Those that remain open are measured here and listed in faults.md."""
    require(tier)
    heard = listen((*CLOSED_CHANNELS, "keyring"), 240, tmp_path / "closed", tier)
    heard += listen(OPEN_CHANNELS, 240, tmp_path / "open", tier)
    for one in heard:
        print(f"{tier:8} {_text(one)}, {one.bits_per_s:.1f} bit/s")
    closed = [one for one in heard if one.channel in CLOSED_CHANNELS]
    assert all(one.of >= 200 for one in closed), [_text(one) for one in closed]
    if tier == "sandbox":
        assert all(one.is_guessing for one in closed), [_text(one) for one in closed]
        most = max(heard, key=lambda one: one.bits_per_s)
        seen(f"closed channels guess; most is heard by {_text(most)} ({most.bits_per_s:.0f} bit/s)")
    else:
        assert all(one.right == one.of for one in closed if one.channel in NEVER_IN_DOUBT), [
            _text(one) for one in heard
        ]


@pytest.mark.row(38)
@pytest.mark.parametrize("program", [bowerbird.harness.referee.process.supervisor_handle.PROGRAM, UNGROUPED])
def test_files_of_a_sandbox_are_bounded_in_number(
    tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    require("sandbox")
    monkeypatch.setattr(bowerbird.harness.referee.process.supervisor_handle, "PROGRAM", program)
    records = play_beside_honest_bots(bot("bad", "litters", "0"), tmp_path, "sandbox")
    assert records[1].faults == (), "only that bot could be harmed"
    made = [int(count) for answer in printed(tmp_path, "littered") for count in answer]
    assert len(made) == 4, "two processes have each filled two folders"
    assert all(0 < count < SCRATCH_FILES for count in made)
    seen(f"at most {max(made)} files in each folder")


@pytest.mark.row(38)
def test_a_bot_that_fills_its_folders_in_memory_beyond_memory_mb_dies_alone(
    tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a control group the supervisor counts what is in them."""
    require("sandbox")
    monkeypatch.setattr(bowerbird.harness.referee.process.supervisor_handle, "PROGRAM", UNGROUPED)
    records = play_beside_honest_bots(
        dataclasses.replace(bot("bad", "fills-and-waits", "0"), memory_mb=120), tmp_path, "sandbox"
    )
    details = {(fault.kind, fault.detail) for fault in records[0].faults}
    assert details == {("CRASHED", "signal 9 (SIGKILL) for using more than its memory_mb = 120")}
    assert records[1].faults == (), "only that bot dies"
    seen("killed: 128 MiB in /tmp and /dev/shm against memory_mb = 120")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder that every user may enter."""
    with tempfile.TemporaryDirectory(prefix="bowerbird-test-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def _spy(folder: Path) -> tuple[Path, Path]:
    """Write a tournament with a bot that every user can run, and that tries to read and signal what is not its own."""
    (folder / "results").mkdir(mode=0o755)
    python, path = readable_python()
    project = Path(path.partition(os.pathsep)[0])
    wanted = json.dumps([f"{folder}/results/*", f"{folder}/results/logs/*/*"])
    entries = []
    for name, act in (("bad", "pries"), ("good", "honest")):
        home = folder / name
        home.mkdir(mode=0o755)
        command = json.dumps([python, str(project / "tests" / "support" / "bots" / "hostile_bot.py"), act, "0"])
        environment = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "PRY": wanted}
        variables = "\n".join(f"{key} = {json.dumps(value)}" for key, value in environment.items())
        text = f'name = "{name}"\nversion = "1"\ncommand = {command}\ntables = 16\n[environment]\n{variables}\n'
        (home / "bot.toml").write_text(text)
        entries.append(f'[[bot]]\npath = "{name}"\n')
    file = folder / "cup.toml"
    file.write_text(GOOD.replace('seed = "played"\n', "") + "".join(entries))
    return file, folder / "results" / "x.db"


@pytest.mark.row(44)
@pytest.mark.skipif(not can_run_as_another(), reason="only root can start bots as other users")
def test_under_limits_root_keeps_the_seed_the_database_and_tokens_from_bots(open_folder: Path, seen: Seen) -> None:
    bowerbird = Bowerbird(open_folder)
    file, database = _spy(open_folder)
    bowerbird.done("tournament", file, "--db", database, "--quiet", "--isolation", "limits")
    with Store.open(database) as store:
        measures = {store.record(game.id).conditions.measures for game in every_game(store)}
    assert all(OWN_USER in found for found in measures), measures
    found = {word: printed(open_folder, word) for word in ("processes", "files", "sockets")}
    assert all(nothing_worked(answers) for answers in found.values()), found
    assert "could read the seed" not in bowerbird.done("standings", "--db", database)
    assert bowerbird.json("standings", "--db", database)["could_read_seed"] is False
    seen("as root: no file of the store, process or socket could be opened")


@pytest.mark.row(44)
@pytest.mark.skipif(not can_run_as_another(), reason="only root can play as an ordinary user")
def test_a_run_whose_bots_could_read_the_seed_says_so_wherever_it_is_shown(open_folder: Path, seen: Seen) -> None:
    file, database = _spy(open_folder)
    for path in (open_folder, *open_folder.rglob("*")):
        os.chown(path, 65534, 65534)

    def ordinary(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        words = [*ordinary_command(), *map(str, arguments)]
        return subprocess.run(
            words,
            cwd=open_folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=DEADLINE_S,
            stdin=subprocess.DEVNULL,
        )

    played = ordinary("tournament", file, "--db", database, "--quiet", "--isolation", "limits")
    assert played.returncode == 0, played.stderr
    assert "could read the seed" in played.stderr
    assert "bots could read the seed" in played.stdout
    files = printed(open_folder, "files")
    assert any("seed" in Path(path).name for answer in files for path in answer), f"a bot has read it: {files}"
    for command in (("standings", "--db", database), ("runs", "--db", database)):
        shown = ordinary(*command, "--json")
        told = json.loads(shown.stdout)
        assert (told if isinstance(told, dict) else told[0])["could_read_seed"] is True
    assert "seed readable" in ordinary("runs", "--db", database).stdout
    page = open_folder / "page.html"
    assert ordinary("report", "--db", database, "--output", page).returncode == 0
    assert "bots could read the seed" in page.read_text()
    seen("as an ordinary user: said at the start, in standings, runs, JSON and the report")


@pytest.mark.row(44)
def test_host_refuses_local_bots_that_could_read_the_seed_without_a_flag(bowerbird: Bowerbird, seen: Seen) -> None:
    file = bowerbird.tournament(GOOD, bowerbird.bot("near", "honest"))
    file.write_text(f'{file.read_text()}[[bot]]\nname = "far"\nremote = true\n')
    words = ("host", file, "--listen", "127.0.0.1:0", "--wait", "1", "--db", "x.db", "--isolation", "none")
    assert "--allow-readable-seed" in bowerbird.refused(*words)
    allowed = bowerbird(*words, "--allow-readable-seed")
    assert "did not dial in within 1 s" in allowed.stderr, "it went on to wait for the remote bot"
    seen("refused; --allow-readable-seed plays")
