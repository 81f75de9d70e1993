"""The summary of `make bench ARGS=ladder`: points a deal above greedy, with one observation for each deal set."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from benchmarks.strength.ladder import BASE, OTHERS, RUNGS, Gap, gap, main, note, table
from bowerbird.engine import variant_names
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import GameId
from bowerbird.records import open_archive, record_text
from tests.support.paths import ROOT


def _result(number: int, rotation: int, own: int, theirs: int) -> GameResult:
    """Return a deal of euchre; the sides change places from rotation to rotation."""
    bots = ("pimc", "greedy") * 2 if rotation == 0 else ("greedy", "pimc") * 2
    scores = tuple(own if bot == "pimc" else theirs for bot in bots)
    ranks = tuple(1 + (score < max(scores)) for score in scores)
    game = GameId("ab", "euchre-0", "greedy+pimc", number, rotation)
    return GameResult(game, "euchre", bots, (0, 1, 0, 1), ranks, scores, (), True)


def test_both_rotations_of_a_set_are_one_observation() -> None:
    """Sets that brought +2 and 0, -1 and +1, and +3 twice: means 1, 0 and 3."""
    made = [(0, 0, 2, 0), (0, 1, 1, 1), (1, 0, 0, 1), (1, 1, 1, 0), (2, 0, 3, 0), (2, 1, 4, 1)]
    found = gap([_result(*each) for each in made], "pimc")
    assert found is not None
    students = 4.302653  # the 97.5% quantile of t with 2 degrees of freedom, from a table
    assert found.low == pytest.approx(4 / 3 - students * (7 / 3 / 3) ** 0.5)
    assert found.high == pytest.approx(4 / 3 + students * (7 / 3 / 3) ** 0.5)
    assert found.sets == 3
    assert not found.is_settled
    assert str(found) == "+1.33 ± 3.79 (open)"


def test_one_set_tells_nothing() -> None:
    assert gap([_result(0, 0, 2, 0), _result(0, 1, 2, 0)], "pimc") is None


def test_the_note_names_where_the_order_is_open() -> None:
    results = [_result(number, rotation, 2 + number, 0) for number in range(4) for rotation in range(2)]
    random_below, pimc_above, champion_above = note(results)
    assert "but" in random_below
    assert "euchre" in random_below, "no deal of random was played there"
    assert "british" in pimc_above
    assert " euchre," not in pimc_above, "pimc won every deal there"
    assert champion_above.startswith("Champion above greedy beyond doubt: in every variant but euchre, british")
    assert Gap(-1.5, -0.5, 9).is_settled


def test_the_table_says_how_many_deals_each_bot_played() -> None:
    lines = table([_result(number, 0, 2 + number, 0) for number in range(4)])
    assert next(line for line in lines if line.startswith("| euchre ")) == (
        "| euchre |  | 0 | +3.50 ± 2.05 | 4 |  | 0 |  | 0 |"
    )


def _rungs() -> list[dict[str, Any]]:
    return [tomllib.loads(file.read_text(encoding="utf-8")) for file in RUNGS.glob("*.toml")]


@pytest.mark.parametrize("bot", OTHERS)
def test_the_ladder_plays_every_variant_once_with_every_reference_bot(bot: str) -> None:
    played: list[str] = []
    for rung in _rungs():
        bots = {entered["path"].rpartition("/")[2] for entered in rung["bot"]}
        assert len(bots) == 2, "a table holds greedy and one other bot, or greedy is no measure"
        assert BASE in bots
        if bot in bots:
            assert rung["tournament"]["challengers"] == [bot]
            played += [variant["name"] for variant in rung["variant"]]
    assert sorted(played) == sorted(variant_names())


def test_the_rungs_leave_a_search_the_time_for_its_worlds() -> None:
    """With enough time the choice follows from the seed, so that the ladder can be repeated."""
    for rung in _rungs():
        assert rung["time"]["per_decision"] == "30s"
        for entered in rung["bot"]:
            words = entered.get("arguments", [])
            if "--seconds" in words:
                assert float(words[words.index("--seconds") + 1]) >= 2


SMALL = """
[tournament]
name = "small"
format = "gauntlet"
challengers = ["random"]
unit = "deals"
sets = 3
seed = "small 1"
[[bot]]
path = "{root}/bots/greedy"
[[bot]]
path = "{root}/bots/random"
[[variant]]
name = "two-handed"
"""


def _records(archive: Path) -> list[str]:
    """Return the records of an archive, without its signature, which has the time."""
    with open_archive(archive) as opened:
        return [record_text(record) for record in opened.records()]


@pytest.mark.long
@pytest.mark.usefixtures("simulations")
def test_a_ladder_is_played_and_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rungs, into = tmp_path / "rungs", tmp_path / "ladder"
    rungs.mkdir()
    (rungs / "small.toml").write_text(SMALL.format(root=ROOT))
    main(["--rungs", str(rungs), "--into", str(into)])
    written = capsys.readouterr().out
    assert (into / "README.md").read_text() == written
    assert "Random below greedy beyond doubt: in every variant but" in written
    names = {path.name for path in into.iterdir() if path.suffix != ".db"} - {"logs", "small-games"}
    assert names == {"README.md", "standings.json", "small.tar.gz", "small.html"}
    records = _records(into / "small.tar.gz")
    main(["--rungs", str(rungs), "--into", str(into)])
    assert capsys.readouterr().out == written
    assert _records(into / "small.tar.gz") == records, "a run that was complete was played again"
    (into / "ladder.db").unlink()
    (rungs / "other.toml").write_text(SMALL.format(root=ROOT).replace("small", "other"))
    main(["--rungs", str(rungs), "--into", str(into), "--only", "other"])
    assert _records(into / "small.tar.gz") == records, "a rung that was not asked for was played again"
    assert (into / "other.tar.gz").exists()
    with pytest.raises(SystemExit):
        main(["--rungs", str(rungs), "--into", str(into), "--only", "bukc"])
    assert "there is no rung bukc, only other, small" in capsys.readouterr().err
