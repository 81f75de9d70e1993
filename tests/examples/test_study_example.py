"""The example of a study answers its questions from a database that the command made."""

from __future__ import annotations

import re
import sys

import pytest

from bowerbird.records import open_database, replay
from tests.support.bots.loaded import loaded
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.paths import ROOT

pandas = pytest.importorskip("pandas")

PROGRAM = ROOT / "examples" / "study" / "study.py"
MATCH = ("match", "greedy", "random", "--variant", "euchre", "--sets", "3", "--seed", "study", "--db", "study.db")


@pytest.mark.usefixtures("simulations")
def test_it_answers_three_questions_about_the_latest_run(bowerbird: Bowerbird) -> None:
    bowerbird.done(*MATCH)
    done = bowerbird.run(sys.executable, PROGRAM, "study.db")
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^\w.*\? .*\.$", done.stdout, flags=re.MULTILINE)) == 3
    assert bowerbird.run(sys.executable, PROGRAM, "study.db", "match-euchre-greedy-random").stdout == done.stdout


@pytest.mark.usefixtures("simulations")
def test_its_tables_agree_with_the_records(bowerbird: Bowerbird) -> None:
    bowerbird.done(*MATCH)
    study = loaded(PROGRAM)
    with open_database(bowerbird.folder / "study.db") as database:
        records, rows, standings = list(database.records()), database.seat_results(), database.standings()
    places = study.places(pandas.DataFrame(rows))
    assert places["games"].sum() == len(rows) == 24
    won = {line.bot: line.wins for line in standings}
    # a game has one winning side, which is the same bot at two seats
    assert {bot: (each["won"] * each["games"]).sum() / 2 for bot, each in places.groupby("bot")} == won
    hands = [row for record in records for row in study.hands_of(record)]
    finished = [hand for record in records for hand in record.hands if hand.scores]
    assert 0 < len(hands) <= len(finished)
    decisions = pandas.DataFrame([row for record in records for row in study.decisions_of(record)])
    assert len(decisions) == sum(len(hand.actions) for record in records for hand in record.hands)
    thinking = study.thinking(decisions)
    assert thinking["decisions"].sum() == sum(not step.forced for record in records for step in replay(record))


def test_every_question_of_the_program_is_in_its_readme() -> None:
    readme = (PROGRAM.parent / "README.md").read_text(encoding="utf-8")
    for words in ("does the seat matter", "how often do makers", "how long does each bot think"):
        assert words in " ".join(readme.split())
