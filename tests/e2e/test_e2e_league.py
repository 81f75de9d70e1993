"""A league as its organiser runs it: epochs, newcomers, versions, faults, signals, kills."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from functools import partial
from pathlib import Path

import pytest

from bowerbird.harness.records.store.sidecar import logs_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.league import PLAYING, RETIRED, SUSPENDED, WITHDRAWN, Season
from tests.support.command.league import COMMAND, League, child_of, complete, status
from tests.support.deadline import DEADLINE_S

KILLS = 3

FILE = """
[league]
epoch = "4 sets"

[tournament]
tables = 4
isolation = "limits"

[[variant]]
name = "two-handed"

[[bot]]
path = "random"

[[bot]]
path = "bots/ada"
"""


@pytest.fixture
def league(tmp_path: Path) -> League:
    """Return a league of a bundled bot and a bot of its own."""
    made = League(tmp_path, FILE)
    made.write_bot("ada")
    return made


def test_epoch_follows_epoch_and_each_is_verified_and_archived(league: League) -> None:
    """Kept going by one process: a second one is refused."""
    with league.running():
        league.until_epochs(1)
        second = league.command(str(league.file))
        assert second.returncode == 2
        assert "is being run by another process" in second.stderr
        season = league.until_epochs(2)
    for epoch in season.epochs[:2]:
        assert (league.folder / epoch.archive).is_file()
        with Store.open(league.database) as store:
            run = store.run(epoch.run)
        assert run.row.seed is not None, "the seed of an epoch is published at its end"
        assert run.row.sets == 4
    verified = subprocess.run(
        [*COMMAND, "verify", "--db", str(league.database), "--quiet"],
        cwd=league.folder,
        capture_output=True,
        check=False,
    )
    assert verified.returncode == 0, verified.stdout
    shown = json.loads(league.command("list", "--json").stdout)
    assert {bot["name"] for bot in shown["bots"]} == {"random", "ada"}
    assert all(isinstance(bot["rating"], int) for bot in shown["bots"])
    standings = subprocess.run(
        [*COMMAND, "standings", "--league", "autumn", "--db", str(league.database)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.search(r"^\d+ runs together", standings.stdout, re.MULTILINE), standings.stderr


@pytest.mark.long
def test_only_the_latest_epochs_keep_the_logs_of_bots(league: League) -> None:
    league.write_bot("ada", act="print(decision.legal, file=sys.stderr)")
    league.file.write_text(FILE.replace("[league]", "[league]\nkeep_logs = 1"), encoding="utf-8")
    with league.running():
        league.until(lambda season: season.open_epoch is not None and _has_logs(league, season, 1), "the first logs")
        season = league.until(
            lambda season: complete(season) >= 2 and not _has_logs(league, season, 1), "the end of the first logs"
        )
    assert _has_logs(league, season, max(epoch.number for epoch in season.epochs if epoch.ended))


def _has_logs(league: League, season: Season, number: int) -> bool:
    [epoch] = [one for one in season.epochs if one.number == number]
    return logs_of(league.database, epoch.run).is_dir()


def test_bots_come_change_and_go_between_epochs(league: League) -> None:
    with league.running():
        league.until_epochs(1)
        league.write_bot("bob")
        league.file.write_text(f'{FILE}\n[[bot]]\npath = "bots/bob"\n', encoding="utf-8")
        league.write_bot("ada", version="2", act="assert decision.choices")
        new = {"bob", "ada", "ada-2"}
        league.until(lambda one: new <= {bot.name for bot in one.bots if bot.status == PLAYING}, "who is new")
        league.file.write_text(FILE, encoding="utf-8")
        league.until(lambda one: status(one, "bob") == WITHDRAWN, "the end of bob")
        league.write_bot("ada", version="3")
        league.until(lambda one: status(one, "ada") == RETIRED, "the end of the oldest version")


def test_a_bot_that_does_not_start_or_faults_too_often_is_suspended_until_a_new_version(league: League) -> None:
    league.write_bot("bad", act="sys.exit(3)")
    league.write_bot("dead")
    (league.folder / "bots/dead/bot.py").write_text("import sys\nsys.exit(2)\n", encoding="utf-8")
    both = '[[bot]]\npath = "bots/bad"\n[[bot]]\npath = "bots/dead"\n'
    league.file.write_text(f"{FILE}\n{both}", encoding="utf-8")
    with league.running():
        season = league.until(lambda one: status(one, "bad") == SUSPENDED and status(one, "dead") == SUSPENDED, "both")
        assert "exit" in next(bot.why for bot in season.bots if bot.name == "dead")
        league.until_epochs(1)
        league.write_bot("bad", version="2")
        season = league.until(lambda one: status(one, "bad-2") == PLAYING, "the new version")
        assert status(season, "bad") in (SUSPENDED, RETIRED)


@pytest.mark.long
def test_a_wrong_file_is_said_and_not_taken(league: League) -> None:
    with league.running():
        league.until_epochs(1)
        league.file.write_text(FILE.replace("two-handed", "too-handed"), encoding="utf-8")
        before = complete(league.until(lambda _: "the league file is not accepted" in league.said, "the sentence"))
        league.until_epochs(before + 1)
        assert "two-handed" in league.said, "the nearest variant is named"
        league.file.write_text(FILE.replace("[league]", '[league]\nname = "other"'), encoding="utf-8")
        league.until(lambda _: "got the name 'other'; must still be" in league.said, "the sentence")


@pytest.mark.long
def test_pause_resume_and_the_end_of_a_season(league: League) -> None:
    with league.running():
        league.until_epochs(1)
        assert "pauses" in league.command("pause").stdout
        season = league.until(lambda one: one.open_epoch is None and "is paused" in league.said, "the pause")
        assert league.command("pause").returncode == 2
        number = complete(season)
        assert league.command("season-end").returncode == 0
        assert league.command("resume").returncode == 0
        season = league.until(lambda one: one.league.season == 2 and complete(one) >= 1, "the new season")
        assert number >= 1
        shown = [league.shown("standings", "--league", "autumn", *options) for options in ((), ("--season", "1"))]
        assert [text.splitlines()[0] for text in shown] == ["league autumn, season 2", "league autumn, season 1"]
        assert "standings --league autumn --season 1" in shown[1].partition("all tables: ")[2]
        assert "season 3 of league autumn has not begun" in league.command("list", "--season", "3").stderr
        assert league.command("withdraw", "aad").stderr.strip().endswith("did you mean 'ada'?")
        assert league.command("withdraw", "ada").returncode == 0
        league.until(lambda _: "waits for bots" in league.said, "too few bots")
        assert league.command("readmit", "ada").returncode == 0
        league.until(lambda one: status(one, "ada") == PLAYING, "its return")


@pytest.mark.long
@pytest.mark.parametrize("victim", ["main", "epoch"])
def test_a_killed_league_goes_on_and_loses_nothing(league: League, victim: str) -> None:
    for number in range(1, KILLS + 1):
        with league.started() as process:
            league.until(partial(is_in_play, number), "an epoch")
            if victim == "main":
                process.kill()
            else:
                os.kill(child_of(process.pid), signal.SIGKILL)
                league.until_epochs(number)
                process.send_signal(signal.SIGINT)
            process.wait(DEADLINE_S)
    with league.running():
        season = league.until_epochs(KILLS + 1)
    with Store.open(league.database) as store:
        runs = {run.fingerprint: run for run in store.runs()}
    assert [epoch.number for epoch in season.epochs] == list(range(1, len(season.epochs) + 1))
    assert all(runs[epoch.run].row.sets == 4 for epoch in season.epochs if epoch.ended), (
        "no set is lost or played twice"
    )


def is_in_play(number: int, season: Season) -> bool:
    """Return whether epoch `number` or a later one is being played."""
    return season.open_epoch is not None and season.open_epoch.number >= number


def test_an_epoch_that_cannot_be_resumed_ends_where_it_is_and_publishes_its_seed(league: League) -> None:
    league.file.write_text(FILE.replace("4 sets", "60 sets"), encoding="utf-8")
    with league.running():
        league.until(lambda one: stored_sets(league, one) > 0, "a deal set")
    season = league.season()
    assert season is not None
    assert season.open_epoch is not None
    with (league.folder / "leagues/autumn/bots/ada/bot.py").open("a", encoding="utf-8") as kept:
        kept.write("# changed\n")
    with league.running():
        season = league.until_epochs(1)
    with Store.open(league.database) as store:
        run = store.run(season.epochs[0].run)
    assert run.row.seed is not None
    assert 0 < run.row.sets < 60
    assert "cannot be resumed" in run.row.stopped
    assert (league.folder / season.epochs[0].archive).is_file(), season.epochs[0].remark


def test_an_epoch_whose_seed_is_lost_is_given_up_and_the_league_goes_on(league: League) -> None:
    """The state after a backup of the database alone was put back."""
    league.file.write_text(FILE.replace("4 sets", "500 sets"), encoding="utf-8")
    with league.started() as process:
        league.until(lambda season: stored_sets(league, season) >= 1, "a deal set")
        os.kill(child_of(process.pid), signal.SIGKILL)
        process.kill()
        process.wait(DEADLINE_S)
    [seed] = league.folder.glob("*.seed")
    seed.unlink()
    league.file.write_text(FILE, encoding="utf-8")
    with league.running():
        season = league.until_epochs(2)
    assert season.epochs[0].remark.startswith("epoch 1 is given up: ")
    assert "secret seed" in season.epochs[0].remark
    assert (league.folder / season.epochs[1].archive).is_file(), season.epochs[1].remark


def stored_sets(league: League, season: Season) -> int:
    """Return how many deal sets of the first epoch are stored."""
    if not season.epochs:
        return 0
    with Store.open(league.database) as store:
        return sum(run.row.sets for run in store.runs() if run.fingerprint == season.epochs[0].run)


@pytest.mark.long
def test_a_league_does_not_need_the_folders_of_bots_that_entered(league: League) -> None:
    with league.running():
        league.until_epochs(1)
        shutil.rmtree(league.folder / "bots")
        before = complete(league.until(lambda _: "is not accepted" in league.said, "the sentence"))
        season = league.until_epochs(before + 1)
        assert status(season, "ada") == PLAYING
