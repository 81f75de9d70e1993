"""The study of tables: its figures match the records, computed in another way."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from statistics import mean

import pytest

from bowerbird.records import open_database, replay
from tests.support.bots.loaded import loaded
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.paths import ROOT

pandas = pytest.importorskip("pandas")

PROGRAM = ROOT / "examples" / "study" / "tables.py"
MATCH = ("match", "greedy", "random", "--sets", "2", "--seed", "study", "--quiet", "--db", "study.db")
VARIANTS = ("--variant", "euchre", "--variant", "two-handed")


@pytest.mark.usefixtures("simulations")
def test_its_figures_are_those_of_the_records(bowerbird: Bowerbird) -> None:
    bowerbird.done(*MATCH, *VARIANTS)
    run = bowerbird.json("runs", "--db", "study.db")[0]["fingerprint"]
    bowerbird.done("export", run, "--format", "csv", "-o", "tables", "--db", "study.db")
    study, folder = loaded(PROGRAM), bowerbird.folder / "tables"
    games, hands, decisions, results = (study.read(folder, name) for name in ("games", "hands", "decisions", "results"))

    dealt: dict[str, list[int]] = defaultdict(list)
    made: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    times: dict[tuple[str, str], list[int]] = defaultdict(list)
    with open_database(bowerbird.folder / "study.db") as database:
        records, seats = list(database.records()), database.seat_results()
    for record in records:
        old = (0,) * len(record.seats)
        for hand in record.hands:
            if hand.scores:
                dealt[record.variant].append(hand.scores[hand.dealer] - old[hand.dealer])
                old = hand.scores
        for step in replay(record):
            if not step.forced and not step.substituted:
                times[record.seats[step.seat].bot, step.before.view(step.seat).stage].append(step.ms)
            maker = step.before.maker
            if maker is not None and not step.is_within_hand:
                key = (record.variant, record.seats[maker].bot, step.before.how or "ordinary")
                made[key].append(step.after.scores[maker] - step.before.scores[maker])

    dealing = study.dealing(games, hands)
    assert {name: (row["hands"], round(row["points"], 9)) for name, row in dealing.iterrows()} == {
        name: (len(points), round(mean(points), 9)) for name, points in dealt.items()
    }
    alone = study.alone(games, hands)
    assert {key: (row["hands"], round(row["points"], 9)) for key, row in alone.iterrows()} == {
        key: (len(points), round(mean(points), 9)) for key, points in made.items()
    }
    thinking = study.thinking(decisions, results)
    assert {key: (row["decisions"], round(row["mean_ms"], 9)) for key, row in thinking.iterrows()} == {
        key: (len(ms), round(mean(ms), 9)) for key, ms in times.items()
    }
    for (bot, _stage), row in thinking.iterrows():
        wins = [seat.rank == 1 and not seat.penalised for seat in seats if seat.bot == bot]
        assert row["won"] == pytest.approx(mean(wins))

    done = bowerbird.run(sys.executable, PROGRAM, "tables")
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^\w.*\? ", done.stdout, flags=re.MULTILINE)) == 3
