"""Tables fit the terminal and stay readable; none of their lines is broken (commands.md)."""

from __future__ import annotations

import random

import pytest

from bowerbird.engine import rules_of
from bowerbird.harness.cli.display.full_tables import crosstable, playing_table, rating_table
from bowerbird.harness.cli.display.summary import summary_table
from bowerbird.harness.cli.shared.output import Column, cut_texts, message_lines, output_width, rejoined, table, wrapped
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.standings.overview import Leaderboard
from bowerbird.harness.ratings.standings.rating_list import RatedBot, RatingList
from bowerbird.harness.ratings.standings.scopes import Scope
from bowerbird.harness.records.values.query_results import Pairing, Standing

NAMES = tuple(f"greedy-with-trump-counting-and-memory-{number:02}" for number in range(12))
COLUMNS = (
    Column("#", right=True),
    Column("bot", cut=True),
    Column("Elo", right=True),
    Column("live", right=True, drop=1),
    Column("won", right=True, drop=2),
    Column("faults", below="faults: "),
)
ROWS = [
    ("1", NAMES[0], "1534", "1500", "10-20-30", "TIMEOUT 3, CRASHED 1"),
    ("2", NAMES[1], "1466", "1500", "10-20-30", "-"),
]


def test_table_aligns_its_columns_and_leaves_no_trailing_space() -> None:
    lines = table([Column("bot"), Column("Elo", right=True), Column("faults")], [("a", "1500", "-"), ("long", "9", "")])
    assert lines == ["bot    Elo  faults", "────  ────  ──────", "a     1500  -", "long     9"]


def test_a_table_without_a_limit_or_with_room_is_whole() -> None:
    whole = table(COLUMNS, ROWS)
    assert table(COLUMNS, ROWS, max(map(len, whole))) == whole
    assert whole[2].endswith("10-20-30  TIMEOUT 3, CRASHED 1")


def test_a_table_is_narrowed_in_the_stated_order() -> None:
    assert table(COLUMNS, ROWS, 72)[:4] == [
        "#  bot                                        Elo  live       won",
        "─  ────────────────────────────────────────  ────  ────  ────────",
        "1  greedy-with-trump-counting-and-memory-00  1534  1500  10-20-30",
        "  faults: TIMEOUT 3, CRASHED 1",
    ]
    assert table(COLUMNS, ROWS, 50)[2] == "1  greedy-with-…nd-memory-00  1534  1500  10-20-30"
    narrow = table(COLUMNS, ROWS, 44)
    assert narrow[0].split() == ["#", "bot", "Elo", "won"]
    assert narrow[-2:] == ["(not shown: live; a wider terminal and", "--json show all)"]
    assert table(COLUMNS, ROWS, 30)[0].split() == ["#", "bot", "Elo"]


@pytest.mark.parametrize("width", range(24, 130, 3))
def test_no_line_is_wider_than_the_terminal_and_no_number_is_cut(width: int) -> None:
    lines = table(COLUMNS, ROWS, width)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert "1534" in text
    assert "1466" in text


def test_names_that_differ_stay_different() -> None:
    chance = random.Random(5)
    for _ in range(300):
        names = [f"{'x' * chance.randrange(20)}{chance.randrange(10)}{'y' * chance.randrange(20)}" for _ in range(6)]
        width = chance.randrange(1, 30)
        cut = cut_texts(names, width)
        assert cut is None or (len(set(cut)) == len(set(names)) and max(map(len, cut)) <= width)
    assert cut_texts(["a1b", "a2b"], 2) is None


def test_a_part_that_does_not_fit_is_drawn_below_with_the_first_column() -> None:
    columns = [Column("bot"), *(Column(str(number), right=True) for number in range(9))]
    lines = table(columns, [("greedy", *("12345" for _ in range(9)))], 40)
    assert max(map(len, lines)) <= 40
    assert [line.split()[0] for line in lines if line and line[0] != "─"] == ["bot", "greedy"] * 3
    assert sum(line.split().count("12345") for line in lines) == 9


def pairings(bots: tuple[str, ...]) -> list[Pairing]:
    return [Pairing(one, other, 8, 4, 0, 4, 0.5) for one in bots for other in bots if one != other]


def test_a_crosstable_of_twelve_bots_is_readable_in_80_columns() -> None:
    lines = crosstable(NAMES, pairings(NAMES), 80)
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["against", *map(str, range(1, 13))]
    assert len(lines) == 14, "one part is enough"
    assert [line.split()[0] for line in lines[2:]] == [str(number) for number in range(1, 13)]
    assert all(line.split().count("50%") == 11 for line in lines[2:])


def test_a_crosstable_with_room_has_names_and_decimals() -> None:
    lines = crosstable(("a", "b"), pairings(("a", "b")), 80)
    assert lines[0].split() == ["against", "a", "b"]
    assert "50.0%" in lines[2]


def test_standings_of_bots_with_the_longest_names_fit_into_80_columns() -> None:
    rated = tuple(RatedBot(name, 1, Estimate(-1234.0, 321.0), 0.5, None, None) for name in NAMES)
    lines = tuple(
        Standing(
            bot=name,
            version="1.0",
            games=16629,
            wins=6543,
            draws=210,
            losses=9876,
            score=0.75,
            points_per_deal=None,
            faults={"TIMEOUT": 12, "CRASHED": 3, "ILLEGAL": 4},
            decisions=1_234_567,
            p50_ms=10,
            p99_ms=5000,
        )
        for name in NAMES
    )
    board = Leaderboard(Scope("buck"), RatingList(rated, ""), lines, ())
    for drawn in (rating_table(board, 80), playing_table(board, 80), summary_table(board, 80)):
        assert max(map(len, drawn)) <= 80
        assert all(sum(name[-3:] in line for line in drawn) == 1 for name in NAMES), "each bot can be told from others"


def test_output_that_a_program_reads_has_no_limit_unless_COLUMNS_sets_one(  # noqa: N802 (the variable's name)
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert output_width() is None
    monkeypatch.setenv("COLUMNS", "72")
    assert output_width() == 72
    monkeypatch.setenv("COLUMNS", "wide")
    assert output_width() is None


def test_a_sentence_is_broken_between_words_and_stays_aligned() -> None:
    assert wrapped("Pack    24: A K Q J T 9 in four suits.", 24) == [
        "Pack    24: A K Q J T 9",
        "        in four suits.",
    ]
    assert wrapped("  1  All passed: the upcard is turned.", 24) == ["  1  All passed: the", "     upcard is turned."]
    assert wrapped("a-word-that-is-longer-than-the-line", 10) == ["a-word-that-is-longer-than-the-line"]
    assert wrapped("no limit " * 30, None) == ["no limit " * 30]


def test_lines_that_go_on_with_a_heading_are_joined_only_if_something_is_too_wide() -> None:
    lines = ["Order   One two three.", "        Four five.", "", "  table  1", "  table  2"]
    assert rejoined(lines, None) == rejoined(lines, 40) == lines
    assert rejoined(lines, 20) == ["Order   One two three. Four five.", *lines[2:]]


@pytest.mark.parametrize("variant", ["euchre", "buck", "seven-handed"])
def test_the_description_of_a_variant_fits_into_80_columns_and_loses_no_word(variant: str) -> None:
    text = rules_of(variant).describe
    lines = [line for each in rejoined(text.splitlines(), 80) for line in wrapped(each, 80)]
    assert max(map(len, lines)) <= 80
    assert " ".join(lines).split() == text.split()


TITLED = (Column("variant"), Column("title", wrap=True, drop=1), Column("seats", right=True))
LAP_SLAM = ("lap-slam", "Euchre with Lap, Slam, Jambone and Jamboree", "4")


def test_a_title_is_wrapped_to_the_room_that_is_left_before_it_is_dropped() -> None:
    assert table(TITLED, [LAP_SLAM], 45) == [
        "variant   title                         seats",
        "────────  ────────────────────────────  ─────",
        "lap-slam  Euchre with Lap, Slam,            4",
        "          Jambone and Jamboree",
    ]
    narrow = table(TITLED, [LAP_SLAM], 34)
    assert narrow[0] == "variant   seats"
    assert "not shown: title" in narrow[-2] + narrow[-1]


def test_no_word_and_no_command_of_a_message_is_broken() -> None:
    assert message_lines("unknown bot 'anothre', did you mean 'another'?", 30) == [
        "unknown bot 'anothre', did you",
        "mean 'another'?",
    ]
    command = "bowerbird tournament autumn.toml --resume --db elsewhere/x.db"
    assert message_lines(f"Interrupted. To resume:\n  {command}", 30) == ["Interrupted. To resume:", f"  {command}"]
    assert message_lines(f"run 4f1c9a is named league now; resume it with: {command}", 40) == [
        "run 4f1c9a is named league now; resume",
        "it with:",
        f"  {command}",
    ]
