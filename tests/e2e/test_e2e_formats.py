"""Every format and line-up with real processes, from start to end (tournament-file.md; ratings.md, Line-ups)."""

from __future__ import annotations

import json
import re
import signal
import subprocess

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.records.every_game import every_game

PAIRS = """
[tournament]
unit = "deals"
sets = 2
instances = "shared"
{lines}
[[variant]]
name = "two-handed"
[[variant]]
name = "euchre"
"""
LONGER = """
[tournament]
format = "swiss"
rounds = 2
sets = 6
{lines}
[[variant]]
name = "euchre"
"""


def entered(bowerbird: Bowerbird, text: str, lines: str, bots: int = 4, think_ms: int = 0) -> str:
    manner = {"THINK_MS": str(think_ms)} if think_ms else {}
    folders = [bowerbird.bot(f"b{index}", "slow" if manner else "honest", **manner) for index in range(bots)]
    return bowerbird.tournament(text.format(lines=lines), *folders).name


@pytest.mark.parametrize(
    ("lines", "games", "places"),
    [
        ('format = "swiss"', 2 * 2 * 2 * 4, 4),
        ('format = "gauntlet"\nchallengers = ["b2"]', 3 * 2 * 2 * 2, 0),
        ('format = "round-robin"\npacks = "own"', 6 * 2 * 2 * 2, 0),
        ("stop = { decisions = 1, every = 1 }", 6 * 2 * 2, 0),
    ],
)
def test_a_format_is_played_stored_and_verified(bowerbird: Bowerbird, lines: str, games: int, places: int) -> None:
    file = entered(bowerbird, PAIRS, lines)
    document = bowerbird.json("tournament", file, "--db", "x.db", "--quiet")
    run, shown = document["run"], document["places"]
    assert isinstance(run, dict)
    assert isinstance(shown, list)
    assert run["games"] == games
    assert len(shown) == places
    bowerbird.done("verify", "--db", "x.db")


def test_a_knockout_ends_with_a_winner(bowerbird: Bowerbird) -> None:
    file = entered(bowerbird, PAIRS, 'format = "knockout"', bots=3)
    said = bowerbird.done("tournament", file, "--db", "x.db", "--quiet")
    assert re.search(r"^places: 1 b\d \(won the final\)", said, re.MULTILINE), said
    bowerbird.done("verify", "--db", "x.db")


@pytest.mark.parametrize(
    ("variant", "lineup", "games"),
    [
        ("euchre", "mixed", 3 * 4),
        pytest.param("cut-throat", "one-vs-rest", 12 * 3, marks=pytest.mark.long),
        ("buck", "free-for-all", 4),
    ],
)
def test_a_line_up_is_played_stored_and_verified(bowerbird: Bowerbird, variant: str, lineup: str, games: int) -> None:
    head = '[tournament]\nunit = "deals"\nsets = 1\ninstances = "shared"\npacks = "own"\n'
    text = f'{head}{{lines}}\n[[variant]]\nname = "{variant}"\n'
    file = entered(bowerbird, text, f'lineup = "{lineup}"')
    run = bowerbird.json("tournament", file, "--db", "x.db", "--quiet")["run"]
    assert isinstance(run, dict)
    assert run["games"] == games
    bowerbird.done("verify", "--db", "x.db")


def test_a_dry_run_prints_the_first_round_and_plays_nothing(bowerbird: Bowerbird) -> None:
    file = entered(bowerbird, PAIRS, 'format = "swiss"')
    said = bowerbird.done("tournament", file, "--dry-run", "--db", "x.db")
    assert "swiss of 4 bots in 2 rounds, 2 deal sets a line-up" in said
    assert "round 1 of 2: b0 - b2, b1 - b3" in said
    assert "in all 16 deal sets, 32 games and about " in said
    assert not (bowerbird.folder / "x.db").exists()
    document = json.loads(bowerbird.done("tournament", file, "--dry-run", "--json"))
    assert (document["sets"], document["games"], document["bound"]) == (16, 32, "exactly")
    assert document["next_round"]["pairs"] == [["b0", "b2"], ["b1", "b3"]]
    assert {job["entry"] for job in document["next_round"]["jobs"]} == {"two-handed-0", "euchre-0"}


def test_a_swiss_tournament_survives_kill_9(bowerbird: Bowerbird) -> None:
    """Killed in its second round, it resumes there. The rounds follow from the stored results, and nothing is lost."""
    file = entered(bowerbird, LONGER, "", think_ms=3)  # not over before it is killed
    with bowerbird.start("tournament", file, "--db", "x.db") as process:
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if "round 2 of 2" in said and re.search(r"\d of \d+ deal sets", said.rpartition("round 2 of 2")[2]):
                break
        process.send_signal(signal.SIGKILL)
        try:
            process.communicate(timeout=DEADLINE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert not bowerbird.wait_until_gone(), "a bot outlived its referee"
    with Store.open(bowerbird.folder / "x.db") as store:
        before = {game.id: store.record_text(game.id) for game in every_game(store)}
        assert 12 < len(store.run().stored_sets()) < 24
    left = json.loads(bowerbird.done("tournament", file, "--dry-run", "--resume", "--json", "--db", "x.db"))
    assert left["next_round"]["title"] == "round 2 of 2"
    pairs = re.search(r"round 2 of 2: (.*)", said)
    assert pairs is not None
    assert ", ".join(" - ".join(pair) for pair in left["next_round"]["pairs"]) == pairs[1]
    bowerbird.done("tournament", file, "--resume", "--db", "x.db", "--quiet")
    with Store.open(bowerbird.folder / "x.db") as store:
        run = store.run()
        assert (run.row.ended is not None, run.row.games, run.row.sets, run.row.sets_after_seed) == (True, 48, 24, 0)
        after = {game.id: store.record_text(game.id) for game in every_game(store)}
    assert before.items() <= after.items()
    bowerbird.done("verify", "--db", "x.db")


def test_a_bot_that_is_added_goes_on_with_the_run(bowerbird: Bowerbird) -> None:
    text = '[tournament]\nunit = "deals"\nsets = 1\n{lines}\n[[variant]]\nname = "two-handed"\n'
    file = entered(bowerbird, text, "", bots=2)
    bowerbird.done("tournament", file, "--db", "x.db", "--quiet")
    with (bowerbird.folder / file).open("a") as more:
        more.write(f'[[bot]]\npath = "{bowerbird.bot("b2", "honest").relative_to(bowerbird.folder)}"\n')
    said = bowerbird.done("tournament", file, "--resume", "--db", "x.db", "--quiet")
    assert "6 games in 3 deal sets, complete; seed drawn; 2 deal sets added after its publication: practice" in said
    bowerbird.done("verify", "--db", "x.db")
    shorter = (bowerbird.folder / file).read_text().replace('"deals"', '"games"')
    (bowerbird.folder / file).write_text(shorter)
    sentence = bowerbird.refused("tournament", file, "--resume", "--db", "x.db")
    assert 'which had unit = "deals", where this one has unit = "games"' in sentence


def test_a_beacon_is_entered_after_the_commitment(bowerbird: Bowerbird) -> None:
    text = '[tournament]\nunit = "deals"\nsets = 1\n{lines}\n[[variant]]\nname = "two-handed"\n'
    file = entered(bowerbird, text, 'beacon = "4711"\nbeacon_source = "the lottery"', bots=2)
    path = bowerbird.folder / file
    assert "proves nothing" in bowerbird.refused("tournament", file, "--db", "x.db")
    path.write_text(path.read_text().replace("4711", ""))
    said = bowerbird.done("tournament", file, "--db", "x.db")
    commitment = re.search(r"commits to the seed (sha256:[0-9a-f]{64})", said)
    assert commitment is not None
    assert "The source of its beacon: the lottery\n" in said
    assert f"tournament {file} --db x.db --resume" in said
    assert "waits for its beacon" in bowerbird.refused("tournament", file, "--resume", "--db", "x.db")
    path.write_text(path.read_text().replace('beacon = ""', 'beacon = "4711"'))
    run = bowerbird.json("tournament", file, "--resume", "--db", "x.db", "--quiet")["run"]
    assert isinstance(run, dict)
    assert (run["commitment"], run["beacon"], run["games"]) == (commitment[1], "4711", 2)
    bowerbird.done("verify", "--db", "x.db")


def test_resume_takes_the_newest_run_of_a_name_and_tells_of_older_ones(bowerbird: Bowerbird) -> None:
    """Two commitments wait for the beacon. The later one is the promise that counts."""
    text = '[tournament]\nunit = "deals"\nsets = 1\n{lines}\n[[variant]]\nname = "two-handed"\n'
    file = entered(bowerbird, text, 'beacon = ""', bots=2)
    path = bowerbird.folder / file
    promises = []
    for _ in range(2):
        said = bowerbird.done("tournament", file, "--db", "x.db")
        found = re.search(r"commits to the seed (sha256:[0-9a-f]{64})", said)
        assert found is not None, said
        promises.append(found[1])
    path.write_text(path.read_text().replace('beacon = ""', 'beacon = "4711"'))
    older = next(run for run in bowerbird.json("runs", "--db", "x.db") if run["commitment"] == promises[0])
    said = bowerbird("tournament", file, "--resume", "--db", "x.db").stderr
    assert promises[1] in said, "--resume took the older run"
    assert f"runs resume {older['fingerprint']} --db x.db" in said
    again = bowerbird("tournament", file, "--resume", "--db", "x.db").stderr
    assert "is complete" in again, "--resume left the newest run for an older one"


@pytest.mark.parametrize(
    ("lines", "variant", "part"),
    [
        ("copies = false", "seven-handed", "7 seats without copies need more than 2 bots"),
        ('lineup = "teams"', "buck", "cannot be played by teams; use 'free-for-all'"),
        ('format = "swiss"', "buck", "'swiss' is for two entrants per table"),
        ('lineup = "mixed"', "cornish", "only in a variant of two against two"),
    ],
)
def test_what_cannot_be_seated_is_said_before_any_game(
    bowerbird: Bowerbird, lines: str, variant: str, part: str
) -> None:
    file = entered(bowerbird, f'[tournament]\n{{lines}}\n[[variant]]\nname = "{variant}"\n', lines, bots=2)
    assert part in bowerbird.refused("tournament", file, "--db", "x.db")
    assert not (bowerbird.folder / "x.db").exists()
