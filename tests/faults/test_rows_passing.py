"""Bots that pass for ever (faults.md row 29)."""

from __future__ import annotations

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.records.every_game import every_game
from tests.support.referee.fault_matrix import Seen

FILE = """
[tournament]
seed = "passing"
sets = 2
unit = "games"
[[variant]]
name = "euchre"
options = { max_hands = 5 }
"""


@pytest.mark.row(29)
def test_a_game_in_which_all_pass_ends_by_max_hands_and_is_rated_by_its_score(bowerbird: Bowerbird, seen: Seen) -> None:
    bots = bowerbird.bot("one", "passes"), bowerbird.bot("two", "passes")
    bowerbird.done("tournament", bowerbird.tournament(FILE, *bots), "--db", "x.db", "--quiet")
    with Store.open(bowerbird.folder / "x.db") as store:
        games = every_game(store)
        records = [store.record(game.id) for game in games]
    for record in records:
        assert record.result.ended == "limit"
        assert len(record.hands) == 5
        assert record.scores == (0, 0, 0, 0)
        assert record.result.ranks == (1, 1, 1, 1)
        assert record.faults == ()
    lines = bowerbird.json("standings", "--db", "x.db")["overall"]["standings"]
    assert [(line["wins"], line["draws"], line["losses"]) for line in lines] == [(0, len(games), 0)] * 2
    assert [line["elo"]["value"] for line in lines] == [0, 0], "draws between equals give equal ratings"
    bowerbird.done("verify", "--db", "x.db")
    seen(f"{len(games)} games of 5 hands: ended limit, {len(games)} draws, equal ratings")
