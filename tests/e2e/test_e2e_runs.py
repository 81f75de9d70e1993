"""A run is resumed, renamed and deleted by its id or name (commands.md, `bowerbird runs`)."""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import subprocess

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import COMMAND, Bowerbird, said_until
from tests.support.command.terminal import read_piece
from tests.support.deadline import DEADLINE_S

DB = ("--db", "db/x.db")
CUP = """
[tournament]
sets = 40
instances = "shared"
tables = 1
[[variant]]
name = "euchre"
options = { target = 3 }
"""
PACE_MS = "3"
"""How long the second bot thinks, so that a run is not over before it is killed."""


def interrupted(bowerbird: Bowerbird, *command: str) -> str:
    """Kill -9 a command that plays after its first report of deal sets; return the id of its run."""
    (bowerbird.folder / "db").mkdir(exist_ok=True)
    with bowerbird.start(*command, *DB) as process:
        said_until(process, " of 40 deal sets")
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=DEADLINE_S)
    assert process.returncode == -signal.SIGKILL
    assert not bowerbird.wait_until_gone()
    [run] = bowerbird.json("runs", *DB)
    assert run["ended"] is None
    return str(run["fingerprint"])


@pytest.fixture
def cup(bowerbird: Bowerbird) -> str:
    """Play the beginning of a tournament whose file is in a folder of its own; return the id of its run."""
    file = bowerbird.tournament(CUP, bowerbird.bot("one", "honest"), bowerbird.bot("two", "slow", THINK_MS=PACE_MS))
    (bowerbird.folder / "files").mkdir()
    shutil.move(file, bowerbird.folder / "files" / "cup.toml")
    shutil.move(bowerbird.folder / "bots", bowerbird.folder / "files" / "bots")
    return interrupted(bowerbird, "tournament", "files/cup.toml")


def test_an_unfinished_run_is_resumed_from_what_is_stored(bowerbird: Bowerbird, cup: str) -> None:
    """Without its file, from another working folder, under a name that it got in between."""
    (bowerbird.folder / "files" / "cup.toml").unlink()
    bowerbird.done("runs", "rename", cup, "league", *DB)
    elsewhere = Bowerbird(bowerbird.folder / "elsewhere", bowerbird.mark)
    elsewhere.folder.mkdir()
    done = elsewhere("runs", "resume", "league", "--db", "../db/x.db")
    assert done.returncode == 0, done.stderr
    assert f"run {cup} (league)" in done.stderr
    assert "already stored, not played again" in done.stderr
    assert "euchre\n" in done.stdout
    [run] = bowerbird.json("runs", *DB)
    assert (run["fingerprint"], run["name"], run["sets"]) == (cup, "league", 40)
    assert "no differences" in bowerbird.done("verify", "league", *DB)
    assert "is complete; --file FILE extends it" in bowerbird.refused("runs", "resume", cup[:5], *DB)


@pytest.mark.parametrize("unit", [("--option", "target=3"), pytest.param(("--deals",), marks=pytest.mark.long)])
def test_a_match_with_a_typed_seed_is_resumed_by_its_id(bowerbird: Bowerbird, unit: tuple[str, ...]) -> None:
    bots = str(bowerbird.bot("one", "last")), str(bowerbird.bot("two", "slow", THINK_MS=PACE_MS))
    run = interrupted(bowerbird, "match", *bots, "--variant", "euchre", *unit, "--sets", "40", "--seed", "x")
    bowerbird.done("runs", "resume", run, *DB, "--quiet")
    [stored] = bowerbird.json("runs", *DB)
    assert (stored["fingerprint"], stored["sets"], stored["practice"]) == (run, 40, True)
    assert stored["ended"] is not None


def test_a_bot_that_is_gone_or_changed_is_named_with_what_to_do(bowerbird: Bowerbird, cup: str) -> None:
    folder = bowerbird.folder / "files" / "bots"
    with (folder / "one" / "bot.toml").open("a", encoding="utf-8") as manifest:
        manifest.write('ADDED = "1"\n')
    said = bowerbird.refused("runs", "resume", cup, *DB)
    assert "bot 'one'" in said
    assert "has other files or arguments than in the stored games; restore it" in said
    shutil.rmtree(folder / "one")
    said = bowerbird.refused("runs", "resume", cup, *DB)
    assert str(folder / "one") in said
    assert "name the tournament file with --file FILE" in said
    assert "cup.toml" in bowerbird.refused("runs", "resume", cup, "--file", "cup.toml", *DB)


def test_an_imported_part_of_a_run_is_not_resumed_without_its_seed(bowerbird: Bowerbird, cup: str) -> None:
    bowerbird.done("export", cup, "-o", "cup.tar.gz", *DB)
    bowerbird.done("import", "cup.tar.gz", "--db", "y.db")
    assert f"the secret seed of run {cup} is missing" in bowerbird.refused("runs", "resume", cup, "--db", "y.db")


def test_resume_by_the_former_name_says_how_the_run_is_resumed(bowerbird: Bowerbird, cup: str) -> None:
    bowerbird.done("runs", "rename", cup, "league", *DB)
    said = bowerbird.refused("tournament", "files/cup.toml", "--resume", *DB)
    assert f"runs resume {cup} --db db/x.db" in said
    file = bowerbird.folder / "files" / "cup.toml"
    file.write_text(file.read_text().replace("[tournament]", '[tournament]\nname = "league"'), encoding="utf-8")
    bowerbird.done("tournament", "files/cup.toml", "--resume", *DB, "--quiet")
    [run] = bowerbird.json("runs", *DB)
    assert (run["fingerprint"], run["name"], run["sets"]) == (cup, "league", 40)


def test_a_renamed_run_is_found_exported_and_imported_under_its_new_name(played: Bowerbird) -> None:
    [before] = played.json("runs", "--db", "x.db")
    said = played.done("runs", "--db", "x.db", "rename", "good", "better")
    assert said == f"run {before['fingerprint']} is now named better; it was good\n"
    played.done("export", "better", "-o", "better.tar.gz", "--db", "x.db")
    played.done("import", "better.tar.gz", "--db", "y.db")
    [after] = played.json("runs", "--db", "y.db")
    assert (after["name"], after["fingerprint"]) == ("better", before["fingerprint"])
    assert "no differences" in played.done("verify", "--db", "y.db")
    again = played("tournament", "good.toml", "--db", "x.db", "--quiet")
    assert again.returncode == 0, again.stderr
    [run] = played.json("runs", "--db", "x.db")
    assert run["name"] == "better", "with its typed seed the same file is the same run"


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("runs", "rename", "godo", "x"), ("godo", "good")),
        (("runs", "rename", "good", "a b"), ("'a b' is not allowed",)),
        (("runs", "delete", "godo", "--yes"), ("godo", "good")),
        (("runs", "delete", "good"), ("--yes", "no terminal", "good")),
        (("runs", "remove", "good"), ("unknown command 'remove'", "runs delete RUN")),
    ],
)
def test_wrong_usage_changes_nothing(played: Bowerbird, arguments: tuple[str, ...], parts: tuple[str, ...]) -> None:
    before = played.json("runs", "--db", "x.db")
    database = () if "remove" in arguments else ("--db", "x.db")
    said = played.refused(*arguments, *database)
    assert all(part in said for part in parts), said
    assert played.json("runs", "--db", "x.db") == before


def test_the_name_of_a_run_cannot_be_the_id_of_another(played: Bowerbird) -> None:
    [run] = played.json("runs", "--db", "x.db")
    assert "is the id of a run" in played.refused("runs", "rename", "good", run["fingerprint"], "--db", "x.db")


def test_of_two_runs_with_one_name_neither_is_deleted(played: Bowerbird) -> None:
    for _ in range(2):
        played.done("match", "bots/one", "bots/two", "--variant", "euchre", "--deals", "--sets", "1", "--quiet", *X)
    assert len(played.json("runs", *X)) == 3
    said = played.refused("runs", "delete", "match-euchre-one-two", "--yes", *X)
    assert "matches 2 runs" in said
    assert len(played.json("runs", *X)) == 3


X = ("--db", "x.db")


def test_deleting_says_what_went_and_what_stays(played: Bowerbird) -> None:
    played.done("match", "bots/one", "bots/two", "--variant", "euchre", "--deals", "--sets", "1", "--quiet", *X)
    run = next(run["fingerprint"] for run in played.json("runs", *X) if run["name"] == "good")
    (played.folder / "logs" / run).mkdir(parents=True, exist_ok=True)
    said = played.done("runs", "delete", "good", "--yes", *X)
    assert said.startswith(f"run {run} is deleted, with its logs in logs/{run}\nx.db keeps its size; ")
    assert [each["name"] for each in played.json("runs", *X)] == ["match-euchre-one-two"]
    assert "no differences" in played.done("verify", *X)
    (played.folder / "logs" / run).mkdir()
    assert "was deleted before, with its logs" in played.done("runs", "delete", run, "--yes", *X)


def test_two_deletions_at_once_delete_one_run_once(played: Bowerbird) -> None:
    played.done("match", "bots/one", "bots/two", "--variant", "euchre", "--deals", "--sets", "1", "--quiet", *X)
    both = [played.start("runs", "delete", "good", "--yes", *X) for _ in range(2)]
    said = [process.communicate(timeout=DEADLINE_S) for process in both]
    assert sorted(process.returncode for process in both) == [0, 2], said
    [error] = [err for _, err in said if err]
    assert re.search("being played by another process|no longer recorded here|no run 'good'", error)
    assert [each["name"] for each in played.json("runs", *X)] == ["match-euchre-one-two"]


def test_a_run_that_is_being_played_is_not_deleted(bowerbird: Bowerbird) -> None:
    (bowerbird.folder / "db").mkdir()
    file = bowerbird.tournament(CUP, bowerbird.bot("one", "honest"), bowerbird.bot("two", "slow", THINK_MS=PACE_MS))
    with bowerbird.start("tournament", file, *DB) as process:
        assert process.stderr is not None
        while not re.match(r"\d+ of 40 deal sets", process.stderr.readline()):
            pass
        process.send_signal(signal.SIGSTOP)
        try:
            said = bowerbird.refused("runs", "delete", "cup", "--yes", *DB)
        finally:
            process.send_signal(signal.SIGCONT)
        assert f"pid {process.pid}" in said
        process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 0
    with Store.open(bowerbird.folder / "db" / "x.db") as store:
        assert store.run("cup").row.sets == 40


@pytest.mark.parametrize(("answer", "left"), [("y\n", []), ("n\n", ["good"])])
def test_a_person_at_a_terminal_is_asked(played: Bowerbird, answer: str, left: list[str]) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [COMMAND, "runs", "delete", "good", *X],
        cwd=played.folder,
        env=played.environment(),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        shown = bytearray()
        while b"[y/N]" not in shown:
            shown += read_piece(ours)
        os.write(ours, answer.encode())
        while piece := read_piece(ours):
            shown += piece
        process.wait(DEADLINE_S)
    os.close(ours)
    assert "(good, " in shown.decode()
    assert [run["name"] for run in played.json("runs", *X)] == left


def test_reading_makes_no_folder_and_writing_names_the_one_that_it_makes(played: Bowerbird) -> None:
    said = played.refused("standings", "--db", "new/x.db")
    assert "there is no database here; runs are recorded where they were played, --db FILE names another" in said
    assert not (played.folder / "new").exists()
    match = ("match", "bots/one", "bots/two", "--variant", "euchre", "--deals", "--sets", "1")
    said = played.refused(*match, "--db", "new/deep/x.db")
    assert f"no folder new/deep; the nearest existing one is {played.folder};" in said
    assert not (played.folder / "new").exists()
    done = played(*match, "--db", "new/x.db")
    assert done.returncode == 0
    assert "made the folder new\n" in done.stderr
    assert "made the folder" not in played(*match, "--db", "new/x.db").stderr


def test_each_wide_table_is_narrowed_to_the_columns_of_the_output(played: Bowerbird) -> None:
    for command in ("standings", "runs", "matches"):
        shown = played.run(COMMAND, command, *X, COLUMNS="40").stdout
        table = [line for line in shown.splitlines() if re.search("─|^#|^run  |[0-9]  ", line)]
        assert table
        assert max(map(len, table)) <= 40
