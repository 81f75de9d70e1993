"""Files of other programs are read as they come, and whatever is left out is reported (ratings.md)."""

from __future__ import annotations

import pytest

from bowerbird.harness.extras.rate.outside_games import OutsideGame, read_games
from bowerbird.harness.ratings.pairs import RatingError

PGN = """[Event "x"]
[White "Ann"]
[Black "Bob"]
[Result "1-0"]

1. e4 { [%clk 1:00] } e5 1-0

[White "Bob"]
[Black "Ann"]
[Result "1/2-1/2"]
[White "Ann"]
[Black "Carl \\"C\\" O"]
[Result "0-1"]

[White "Ann"]
[Black "Bob"]
[Result "*"]

[White "Bob"]
[Black "Bob"]
[Result "1-0"]
"""


def test_the_tags_of_pgn_are_games() -> None:
    found = read_games(PGN, "x.pgn")
    assert found.games == (
        OutsideGame("Ann", "Bob", 1.0),
        OutsideGame("Bob", "Ann", 0.5),
        OutsideGame("Ann", 'Carl "C" O', 0.0),
    )
    assert found.remarks == ("1 unfinished game left out", "1 game of a player with itself left out")


def test_the_columns_of_csv_are_stated() -> None:
    text = "round,first,second,points\n1,a,b,1\n2,b,a,½\n\n3,a,b,0.0\n"
    found = read_games(text, "x.csv", ("first", "second", "points"))
    assert [game.score for game in found.games] == [1.0, 0.5, 0.0]
    with pytest.raises(RatingError, match="its columns are round, first, second, points"):
        read_games(text, "x.csv")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("white,black,result\na,b,2-0\n", "x, line 2: '2-0' is not a result"),
        ("white,black,result\na,,1-0\n", "x, line 2: a player has no name"),
        ("white,black,result\na,b\n", "x, line 2: it has 2 cells, not 3"),
        ("white,black,result\na,b,*\n", "x has no finished game of two players"),
        ("", "x has no column 'white'; its columns are none"),
        ('[White "a"]\n[Result "1-0"]\n', "x, line 1: the game has no tag Black"),
    ],
)
def test_a_wrong_file_is_refused_with_the_line(text: str, said: str) -> None:
    with pytest.raises(RatingError) as refused:
        read_games(text, "x")
    assert said in str(refused.value)


def test_names_that_differ_in_case_or_spaces_alone_are_told() -> None:
    found = read_games("white,black,result\nAnn,Bob,1-0\nann ,Bob,1-0\n", "x")
    assert found.remarks == ("'Ann' and 'ann ' are different players",)
