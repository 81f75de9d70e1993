"""An archive's description of its run is read strictly: a stranger wrote it (harness.records.text.run_text)."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.text.canonical import INTEGRITY, digest
from bowerbird.harness.records.text.run_text import ArchivedRun, read_run_text, run_text
from bowerbird.harness.records.values.machines import Machine, MachineTotal
from bowerbird.harness.records.values.placements import MatchResult, Outcome, Placement
from bowerbird.harness.records.values.run import CpuTotal
from tests.support.records.played_games import SEED, header

RUN = ArchivedRun(header(), SEED, "1", "1", "2026-01-01T00:00:00.000+00:00", None, games=7)

CUP = replace(
    RUN,
    ended="2026-01-02T00:00:00.000+00:00",
    outcome=Outcome(
        "all rounds were played",
        (Placement(1, "ann", 1.5, 2 / 3, 1.0, 1, "opponents had 1"), Placement(1, "bob", 1.5, 0.1, 1.0)),
        (
            MatchResult(1, "round 1 of 2", "ann", "bob", 2.5, 5, "", "tie"),
            MatchResult(2, "round 2 of 2", "bob", "", 0.0, 0, "bob", "bye"),
        ),
    ),
)

PLACES = r"(?=\n\[integrity\])"
"""A pattern: where the places and matches of a run are."""

MATCH = '[[match]]\nround = 1\ntitle = "final"\nbot = "ann"\nopponent = "bob"'

HOSTILE = {
    "a config that is no TOML": ("", "not toml [", "the run's config: not valid TOML: "),
    "a config of something else": ("", "[[bot]]\n", "the run's config has no table [tournament]"),
    "a name that steers a terminal": (
        '(?m)^name = "autumn"$',
        'name = "\\u001b[2J"',
        "is not allowed; a name has 1 to 40",
    ),
    "a bot's name that could not stand in an id": ('name = "ann"', 'name = "a+b"', "'a+b' is not allowed; a name has"),
    "two bots of one name": ('name = "bob"', 'name = "ann"', "two bots have one name"),
    "a time that is none": ('started = ".*"', 'started = "yesterday"', "Invalid isoformat string: 'yesterday'"),
    "a number that SQLite cannot hold": ("games = .*", f"games = {10**20}", f"{10**20} is not a whole number"),
    "a number below nothing": ("games = .*", "games = -1", "-1 is not a whole number"),
    "no number": ("games = .*", 'games = "7"', "7 is not a whole number"),
    "a commitment that is none": ('commitment = ".*"', 'commitment = "sha256:0"', "'sha256:0' is not a commitment"),
    "processor time of a stranger": (
        "games = 7",
        'games = 7\n[[cpu]]\nbot = "eve"\ncpu_ms = 1\nprocesses = 1',
        "not one for",
    ),
    "processor time that no bot can use": (
        "games = 7",
        f'games = 7\n[[cpu]]\nbot = "ann"\ncpu_ms = {10**15 + 1}\nprocesses = 1',
        f"{10**15 + 1} is not a whole number from 0 to 10^15",
    ),
    "more processes than a bot can have": (
        "games = 7",
        f'games = 7\n[[cpu]]\nbot = "ann"\ncpu_ms = 1\nprocesses = {10**9 + 1}',
        f"{10**9 + 1} is not a whole number from 0 to 10^9",
    ),
    "a machine without a processor": ("games = 7", "games = 7\n[[machine]]\nsets = 1", "'cpu' is missing"),
    "a processor of no name": (
        "games = 7",
        'games = 7\n[[machine]]\ncpu = ""\nsets = 1',
        "the model of a processor has 1 to 120 characters, not 0",
    ),
    "a processor whose name is a book": (
        "games = 7",
        f'games = 7\n[[machine]]\ncpu = "{"x" * 121}"\nsets = 1',
        "the model of a processor has 1 to 120 characters, not 121",
    ),
    "a machine that unplays": (
        "games = 7",
        'games = 7\n[[machine]]\ncpu = "x"\nspeed = -5\nsets = 1',
        "-5 is not a whole number from 0 to 10^12",
    ),
    "a machine that has played nothing": (
        "games = 7",
        'games = 7\n[[machine]]\ncpu = "x"\nsets = 0',
        "a machine has played no deal set",
    ),
    "one machine twice": (
        "games = 7",
        'games = 7\n[[machine]]\ncpu = "x"\nsets = 1\n[[machine]]\ncpu = "x"\nsets = 1',
        "the machines are not listed once for each processor and speed",
    ),
    "a place below the first": (PLACES, '[[place]]\nplace = 0\nbot = "ann"', "a place is a whole number from 1, not 0"),
    "a place of a stranger": (PLACES, '[[place]]\nplace = 1\nbot = "eve"', "'eve' has a place or a match but is not"),
    "a place that is a text": (
        PLACES,
        '[[place]]\nplace = "1"\nbot = "ann"',
        "a place is a whole number from 1, not 1",
    ),
    "a bot that is a number": (PLACES, "[[place]]\nplace = 1\nbot = 7", "the name of a bot is a text"),
    "points that are no number": (
        PLACES,
        '[[place]]\nplace = 1\nbot = "ann"\npoints = nan',
        "points is a number from 0 to 1e+12, not nan",
    ),
    "points without end": (
        PLACES,
        '[[place]]\nplace = 1\nbot = "ann"\npoints = 1e400',
        "points is a number from 0 to 1e+12, not inf",
    ),
    "points in another form": (
        PLACES,
        '[[place]]\nplace = 1\nbot = "ann"\npoints = 1',
        "1 is not a number with a decimal",
    ),
    "more than all games": (
        PLACES,
        '[[place]]\nplace = 1\nbot = "ann"\nshare = 1.5',
        "a share of games is a number from 0 to 1, not 1.5",
    ),
    "a remark that steers a terminal": (
        PLACES,
        '[[place]]\nplace = 1\nbot = "ann"\nremark = "\\u001b[2J"',
        "a remark is one line of at most 1000 characters",
    ),
    "two places of one bot": (
        PLACES,
        '[[place]]\nplace = 1\nbot = "ann"\n[[place]]\nplace = 1\nbot = "ann"',
        "a bot has two places",
    ),
    "places out of order": (
        PLACES,
        '[[place]]\nplace = 2\nbot = "ann"\n[[place]]\nplace = 1\nbot = "bob"',
        "the places are not in order: ann has place 2 as number 1 of the table",
    ),
    "a list of places that is none": ("games = 7", "games = 7\nplace = [7]", "a value is wrong: "),
    "a match without games": (
        PLACES,
        f"{MATCH}\nwon = 1.0\ngames = 0\ndecided_by = 'games'",
        "games won is a number from 0 to 0, not 1.0",
    ),
    "a match that the loser wins": (
        PLACES,
        f'{MATCH}\nwon = 3.0\ngames = 4\nwinner = "bob"\ndecided_by = "games"',
        "the match between ann and bob is won by bob (decided by: games) with 3 of 4 games for ann",
    ),
    "a match that a stranger wins": (
        PLACES,
        f'{MATCH}\nwon = 2.0\ngames = 4\nwinner = "eve"\ndecided_by = "better seed"',
        "the match between ann and bob is won by eve (decided by: better seed)",
    ),
    "a match that nothing decides": (
        PLACES,
        f'{MATCH}\nwon = 2.0\ngames = 4\nwinner = "ann"\ndecided_by = "lot"',
        "a match is decided by one of games, extra sets, better seed, bye, tie, walkover, annulled, not by 'lot'",
    ),
    "a match against itself": (
        PLACES,
        f'{MATCH.replace("bob", "ann")}\nwon = 2.0\ngames = 4\ndecided_by = "tie"',
        "ann plays a match against itself",
    ),
    "two matches of one bot in a round": (
        PLACES,
        f'{MATCH}\nwon = 2.0\ngames = 4\ndecided_by = "tie"\n[[match]]\nround = 1\ntitle = "x"\nbot = "ann"',
        "a bot has two matches in one round",
    ),
    "a round that is left out": (
        PLACES,
        '[[match]]\nround = 2\ntitle = "x"\nbot = "ann"',
        "the matches are not in the order of their rounds, from round 1",
    ),
    "a reason that is a number": ("games = 7", "games = 7\nstopped = 7", "7 is not a text"),
    "a reason of two lines": (
        "games = 7",
        'games = 7\nstopped = "a\\nb"',
        "the reason why a run stopped is one line of at most 1000 characters",
    ),
    "a value less": ("engine = .*\n", "", "'engine' is missing"),
}
"""Pattern in run.toml, replacement, error. With an empty pattern the replacement replaces the config."""


@pytest.mark.parametrize("what", HOSTILE)
def test_a_run_that_would_be_trouble_later_is_refused_when_it_comes(what: str) -> None:
    """The digests are correct: the author of an archive can write them, too."""
    pattern, other, said = HOSTILE[what]
    config = header().config if pattern else other
    text = run_text(replace(RUN, ended=RUN.started, header=replace(header(), config=config)))
    if pattern:
        text = re.sub(pattern, lambda _: other, text, count=1)
        body = text[: text.rindex(INTEGRITY)]
        text = f'{body}{INTEGRITY}sha256 = "{digest(body)}"\n'
    with pytest.raises(StoreError, match=rf"^run\.toml: .*{re.escape(said)}"):
        read_run_text(text, config, "run.toml")


def test_a_run_that_has_not_ended_has_no_outcome() -> None:
    text = run_text(replace(RUN, outcome=Outcome("enough was played")))
    with pytest.raises(StoreError, match="a run that has not ended has no places, no matches, and no reason"):
        read_run_text(text, header().config, "run.toml")


@pytest.mark.parametrize("table", ["place", "match"])
def test_an_unknown_key_of_a_place_or_a_match_is_refused(table: str) -> None:
    text = run_text(CUP).replace(f"[[{table}]]", f"[[{table}]]\nprize = 5", 1)
    body = text[: text.rindex(INTEGRITY)]
    text = f'{body}{INTEGRITY}sha256 = "{digest(body)}"\n'
    with pytest.raises(StoreError, match=r"^run\.toml, line \d+: the text was changed after it was written$"):
        read_run_text(text, header().config, "run.toml")


def test_the_name_of_a_machine_is_refused_as_any_other_unknown_key() -> None:
    text = run_text(replace(RUN, machines=(MachineTotal(Machine("Z80"), 1),)))
    text = text.replace('cpu = "Z80"', 'cpu = "Z80"\nhost = "box"')
    body = text[: text.rindex(INTEGRITY)]
    text = f'{body}{INTEGRITY}sha256 = "{digest(body)}"\n'
    with pytest.raises(StoreError, match=r"^run\.toml, line \d+: the text was changed after it was written$"):
        read_run_text(text, header().config, "run.toml")


def test_a_run_that_is_not_tampered_with_is_read_again() -> None:
    run = replace(RUN, cpu=(CpuTotal("ann", 300, 2), CpuTotal("bob", 0, 1)))
    run = replace(run, machines=(MachineTotal(Machine("Z\x1b80"), 1), MachineTotal(Machine("Z\x1b80", 5), 2)))
    assert read_run_text(run_text(run), header().config, "run.toml") == run
    assert read_run_text(run_text(CUP), header().config, "run.toml") == CUP
