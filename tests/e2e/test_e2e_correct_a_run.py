"""A new user corrects a run with nothing but the commands of the page (correct-a-run.md)."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from typing import Any

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.command.moody_bot import flag, moody
from tests.support.command.terminal import read_piece
from tests.support.deadline import DEADLINE_S
from tests.support.docs.blocks import shown_commands
from tests.support.paths import DOCS

PAGE = DOCS / "how-to" / "correct-a-run.md"
[SHOWN_RUN] = set(re.findall(r"\b[0-9a-f]{10}(?=/euchre-0)", PAGE.read_text(encoding="utf-8")))
"""The id of the run on the page."""

AUTUMN = """
[tournament]
name = "autumn"
sets = 3
isolation = "limits"
instances = "shared"
max_faults = 1
tables = 1
[[variant]]
name = "euchre"
options = { target = 3 }
[[bot]]
path = "greedy"
[[bot]]
path = "bots/mybot"
[[bot]]
path = "random"
"""


@pytest.fixture
def autumn(bowerbird: Bowerbird) -> Bowerbird:
    """Return the command in a folder with the page's run, in which mybot failed because a disk was not mounted."""
    moody(bowerbird, "mybot")
    flag(bowerbird, "mybot").touch()
    (bowerbird.folder / "autumn.toml").write_text(AUTUMN, encoding="utf-8")
    bowerbird.done("tournament", "autumn.toml", "--quiet")
    flag(bowerbird, "mybot").unlink()
    return bowerbird


def page_commands(bowerbird: Bowerbird) -> list[list[str]]:
    """Return the commands of the page with the id of our run."""
    [run] = bowerbird.json("runs")
    return [[word.replace(SHOWN_RUN, run["fingerprint"]) for word in words] for words in shown_commands(PAGE)]


def at_a_terminal(bowerbird: Bowerbird, words: list[str], answer: str) -> str:
    """Run a command at a terminal of 80 columns, answer its question, and return all that it showed."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    shown = bytearray()
    with subprocess.Popen(
        [COMMAND, *words],
        cwd=bowerbird.folder,
        env=bowerbird.environment(),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        while b"[y/N]" not in shown:
            piece = read_piece(ours)
            assert piece, f"it did not ask: {shown.decode()}"
            shown += piece
        os.write(ours, f"{answer}\n".encode())
        while piece := read_piece(ours):
            shown += piece
        assert process.wait(DEADLINE_S) == 0, shown.decode()
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def faults_of(document: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Return the faults of each bot."""
    return {line["bot"]: line["faults"] for line in document["overall"]["standings"]}


def test_the_page_takes_a_bot_back_and_voids_a_game(autumn: Bowerbird) -> None:
    """Every command of the page runs in its order; what the page says about what the public sees holds in every
    display."""
    before = autumn.json("standings", "autumn")
    assert faults_of(before)["mybot"]["ILLEGAL"] > 0
    assert any(game["ended"] == "withdrawn" for game in autumn.json("matches", "autumn"))
    ran = []
    for words in page_commands(autumn):
        command = " ".join(words[:2])
        ran.append(words[0])
        if words[0] == "reinstate":
            assert "nothing was changed" in at_a_terminal(autumn, words, "n")
            assert autumn.json("standings", "autumn")["corrections"] == []
            said = at_a_terminal(autumn, words, "y")
            assert max(map(len, said.splitlines())) <= 80, "a line does not fit into 80 columns"
            joined = " ".join(said.split())
            assert "bot mybot is reinstated; 6 deal sets with 12 games will no longer count" in joined
            assert "as decided by Anna Example: our disk with its weights was not mounted" in joined
            [one] = autumn.json("standings", "autumn")["corrections"]
            assert f"now publish the commitment to the seed of the new deals: {one['commitment']}" in joined
        elif words[0] == "void":
            said = at_a_terminal(autumn, words, "y")
            assert "1 deal set with 2 games" in " ".join(said.split())
        elif command == "runs resume":
            resumed = autumn(*words)
            assert resumed.returncode == 0, resumed.stderr
        else:
            done = autumn(*words)
            assert done.returncode == 0, (words, done.stderr)
            if words[0] == "replay":
                assert "this game does not count: correction 1, " in done.stdout
                assert "reinstated bot mybot: our disk with its weights was not mounted" in done.stdout
    assert ran == ["standings", "reinstate", "void", "runs", "standings", "matches", "replay", "export"]
    after = autumn.json("standings", "autumn")
    assert after["run"]["ended"] is not None
    assert sum(faults_of(after)["mybot"].values()) == 0, "the bot plays without a fault now"
    assert not any(game["ended"] == "withdrawn" for game in autumn.json("matches", "autumn"))
    back, void = after["corrections"]
    assert (back["kind"], back["bot"], back["by"], back["games"]) == ("reinstate", "mybot", "Anna Example", 12)
    assert (back["sets_played_again"], back["games_played_again"]) == (6, 12)
    assert (void["kind"], void["games"], void["games_played_again"]) == ("void", 2, 2)
    assert all(one["seed"] for one in after["corrections"])
    assert all(one["seed"] in resumed.stderr for one in after["corrections"]), "the seeds are told at the end"
    standings = autumn.done("standings", "autumn", "--full")
    assert "by Anna Example: bot mybot is reinstated (6 deal sets taken out, 6 played again): our disk" in standings
    assert "corrected" in autumn.done("runs")
    assert len(autumn.json("matches", "autumn", "--voided")) == 14
    autumn.done("report", "autumn", "-o", "report.html")
    report = (autumn.folder / "report.html").read_text(encoding="utf-8")
    assert "2 corrections: see Corrections" in report
    assert back["commitment"] in report
    assert "no differences" in autumn.done("verify", "autumn")
    assert "the record: replayed, no differences" in autumn.done("verify", "old.toml")


def test_another_database_learns_of_the_correction_from_the_archive(autumn: Bowerbird) -> None:
    why = ("--why", "our disk was not mounted", "--by", "Anna Example", "--yes")
    autumn.done("export", "autumn", "-o", "before.tar.gz", "--no-sign", "--quiet")
    autumn.done("import", "before.tar.gz", "--db", "there.db", "--quiet")
    autumn.done("reinstate", "autumn", "mybot", "--with-faults", *why)
    autumn.done("runs", "resume", "autumn", "--quiet")
    here = autumn.json("standings", "autumn")["corrections"]
    autumn.done("export", "autumn", "-o", "autumn.tar.gz", "--no-sign", "--quiet")
    told = autumn("import", "autumn.tar.gz", "--db", "there.db", "--quiet").stderr
    sets = len(here[0]["sets"])
    assert f"by Anna Example: bot mybot is reinstated ({sets} deal sets taken out, {sets} played again)" in told, told
    assert autumn.json("import", "autumn.tar.gz", "--db", "there.db")[0]["corrections"] == 0, "they are known by now"
    assert autumn.json("standings", "autumn", "--db", "there.db")["corrections"] == here
    assert "no differences" in autumn.done("verify", "--db", "there.db")
    with Store.open(autumn.folder / "there.db") as store:
        game = next(store.run().voided_games()).id
    assert "this game does not count" in autumn.done("replay", game, "--voided", "1", "--db", "there.db")
    said = autumn.refused("void", "autumn", game, *why, "--db", "there.db")
    assert "correct it where it was played" in said
