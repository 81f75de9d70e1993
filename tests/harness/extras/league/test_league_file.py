"""The league file: its keys, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.extras.league.league_file import EpochLength, load_league, parse_league
from bowerbird.harness.tournament.errors import ConfigError

LEAST = '[[variant]]\nname = "euchre"\n'


def parsed(text: str) -> EpochLength:
    return parse_league(f"{text}\n{LEAST}", Path("autumn.toml")).epoch


def test_the_defaults_are_those_of_the_schema() -> None:
    found = parse_league(LEAST, Path("folder/autumn.toml"))
    assert (found.name, found.epoch, found.pause_ms, found.suspend, found.disk_mb) == (
        "autumn",
        EpochLength(3_600_000, 0),
        0,
        0.1,
        0,
    )
    assert found.folder == Path("folder")


@pytest.mark.parametrize(
    ("written", "length"),
    [
        ("20m", EpochLength(1_200_000, 0)),
        ("1s", EpochLength(1000, 0)),
        ("24h", EpochLength(86_400_000, 0)),
        ("200 sets", EpochLength(0, 200)),
        ("1 set", EpochLength(0, 1)),
    ],
)
def test_an_epoch_is_a_time_or_a_number_of_sets(written: str, length: EpochLength) -> None:
    assert parsed(f'[league]\nepoch = "{written}"') == length


@pytest.mark.parametrize("written", ["", "0s", "25h", "0 sets", "200", "1 day", "-5m", "999ms"])
def test_another_length_of_an_epoch_is_refused(written: str) -> None:
    with pytest.raises(ConfigError, match=r"autumn.toml, line 2, key 'epoch': got .*; must be a time from"):
        parsed(f'[league]\nepoch = "{written}"')


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[league]\nname = "a/b"', "a name has 1 to 40 letters"),
        (f'[league]\nname = "{"a" * 30}"', "must be a name of at most 26 characters"),
        ('[league]\nepochs = "1h"', r"line 2, key 'epochs': unknown key.*epoch"),
        ("[league]\nsuspend = 1.5", "line 2, key 'suspend'"),
        ("[tournament]\nsets = 5", "line 2, key 'sets': .* leave out 'sets'"),
        ('[tournament]\nformat = "swiss"', "the league decides who meets whom; leave out 'format'"),
        ('[tournament]\nseed = "x"', "each epoch draws its own seed; leave out 'seed'"),
        ('[tournament]\npacks = "common"', "leave out 'packs'"),
    ],
)
def test_what_a_league_decides_and_what_is_unknown_is_refused_with_its_line(text: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        parsed(text)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_league(tmp_path / "none.toml")


def test_a_bot_that_cannot_be_read_hinders_no_other() -> None:
    text = (
        '[[bot]]\npath = "greedy"\n[[bot]]\npath = "nowhere/ada"\n[[bot]]\nremote = true\nname = "eve"\n'
        '[[bot]]\npath = "greedy"\n'
    )
    found, wrong = parse_league(f"{LEAST}{text}", Path("autumn.toml")).bots()
    assert [one.spec.name for one in found] == ["greedy"]
    assert "there is no such bot" in wrong[0]
    assert "invite it with: bowerbird league invite eve" in wrong[1]
    assert "two bots are named 'greedy'" in wrong[2]
