"""What is in a bot's folder, or in its path, stops nobody else (faults.md rows 51 and 52)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.command.league import League
from tests.support.referee.fault_matrix import Seen

ODD = os.fsdecode(b"\xff")
"""A name that is not UTF-8."""

LEAGUE = """
[league]
epoch = "1 set"

[tournament]
isolation = "limits"

[[variant]]
name = "two-handed"

[[bot]]
path = "random"

[[bot]]
path = "greedy"

[[bot]]
path = "bots/ada"
"""


def write_bot(folder: Path) -> None:
    folder.mkdir(parents=True)
    code = "from bowerbird.sdk import Bot, Decision, run\n\n\nclass First(Bot):\n"
    code += "    def act(self, decision: Decision) -> int:\n        return 0\n\n\nrun(First())\n"
    (folder / "bot.py").write_text(code, encoding="utf-8")
    (folder / "bot.toml").write_text('name = "ada"\ncommand = ["{python}", "bot.py"]\n', encoding="utf-8")


@pytest.mark.row(51)
def test_names_that_are_not_utf8_stop_no_command(bowerbird: Bowerbird, seen: Seen) -> None:
    """The names of a bot's file, its folder, the database, a seed and a reason; the reason is refused."""
    write_bot(bowerbird.folder / f"ada{ODD}")
    (bowerbird.folder / f"ada{ODD}" / f"{ODD}.txt").touch()
    (bowerbird.folder / ODD).mkdir()
    database = ("--db", f"{ODD}/x.db")

    def answers(*arguments: str, code: int = 0) -> str:
        done = bowerbird.run(COMMAND, *arguments)
        assert done.returncode == code, (arguments, done.stderr)
        return done.stdout + done.stderr

    answers("match", f"./ada{ODD}", "random", "--variant", "two-handed", "--sets", "1", "--seed", ODD, "-q", *database)
    with Store.open(bowerbird.folder / ODD / "x.db") as store:
        [run] = store.runs()
        game = run.game_ids()[0]
    assert f"{run.fingerprint}  match-two-handed-ada-random" in answers("runs", *database)
    answers("report", run.fingerprint, "-o", f"{ODD}.html", *database)
    answers("export", run.fingerprint, "-o", f"{ODD}.tar.gz", *database)
    answers("import", f"{ODD}.tar.gz", "--db", f"{ODD}.db")
    assert "printable" in answers("void", run.fingerprint, game, "--why", ODD, "--yes", *database, code=2)
    answers("verify", *database)
    assert "\\udcff" in answers("ask", ODD, game, *database, code=2)
    seen("match, runs, report, export, import, void, verify and ask go on")


@pytest.mark.row(51)
@pytest.mark.row(52)
def test_a_folder_that_cannot_be_read_keeps_its_bot_alone_out_of_a_league(tmp_path: Path, seen: Seen) -> None:
    """A file whose name is not UTF-8 is a file like any other; one that is a hole of 2 TB is refused unread."""
    league = League(tmp_path, LEAGUE)
    write_bot(tmp_path / "bots/ada")
    (tmp_path / "bots/ada" / f"{ODD}.txt").touch()
    with league.running():
        season = league.until_epochs(1)
    assert "ada" in {bot.name for bot in season.bots}, league.said
    with (tmp_path / "bots/ada/weights.bin").open("wb") as file:
        os.truncate(file.fileno(), 2 << 40)
    with league.running():
        season = league.until_epochs(2)
    assert season.epochs[1].archive, league.said
    assert "above the limit of 4 GiB" in league.said
    seen("the league plays on; the sentence names the file and the limit")
