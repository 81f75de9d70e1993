"""An archive's description of its run is read strictly: a stranger wrote it (harness.records.text.run_text)."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from harness.records.errors import StoreError
from harness.records.text.canonical import INTEGRITY, digest
from harness.records.text.run_text import ArchivedRun, read_run_text, run_text
from harness.records.values.machines import Machine, MachineTotal
from harness.records.values.run import CpuTotal
from tests.support.records.played_games import SEED, header

RUN = ArchivedRun(header(), SEED, "1", "1", "2026-01-01T00:00:00.000+00:00", None, games=7)

HOSTILE = {
    "a config that is no TOML": ("", "not toml [", "the run's config: not valid TOML: "),
    "a config of something else": ("", "[[bot]]\n", "the run's config has no table [tournament]"),
    "a name that steers a terminal": (
        '(?m)^name = "autumn"$',
        'name = "\\u001b[2J"',
        "is not allowed, a name has 1 to 40",
    ),
    "a bot's name that could not stand in an id": ('name = "ann"', 'name = "a+b"', "'a+b' is not allowed, a name has"),
    "two bots of one name": ('name = "bob"', 'name = "ann"', "two bots have one name"),
    "a time that is none": ('started = ".*"', 'started = "yesterday"', "Invalid isoformat string: 'yesterday'"),
    "a number that SQLite cannot hold": ("games = .*", f"games = {10**20}", f"{10**20} is no whole number"),
    "a number below nothing": ("games = .*", "games = -1", "-1 is no whole number"),
    "no number": ("games = .*", 'games = "7"', "7 is no whole number"),
    "a commitment that is none": ('commitment = ".*"', 'commitment = "sha256:0"', "'sha256:0' is no commitment"),
    "processor time of a stranger": (
        "games = 7",
        'games = 7\n[[cpu]]\nbot = "eve"\ncpu_ms = 1\nprocesses = 1',
        "not one for",
    ),
    "processor time that no bot can use": (
        "games = 7",
        f'games = 7\n[[cpu]]\nbot = "ann"\ncpu_ms = {10**15 + 1}\nprocesses = 1',
        f"{10**15 + 1} is no whole number from 0 to 10^15",
    ),
    "more processes than a bot can have": (
        "games = 7",
        f'games = 7\n[[cpu]]\nbot = "ann"\ncpu_ms = 1\nprocesses = {10**9 + 1}',
        f"{10**9 + 1} is no whole number from 0 to 10^9",
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
        "-5 is no whole number from 0 to 10^12",
    ),
    "a machine that has played nothing": (
        "games = 7",
        'games = 7\n[[machine]]\ncpu = "x"\nsets = 0',
        "a machine has played no deal set",
    ),
    "one machine twice": (
        "games = 7",
        'games = 7\n[[machine]]\ncpu = "x"\nsets = 1\n[[machine]]\ncpu = "x"\nsets = 1',
        "the machines are not one for each processor and speed",
    ),
    "a value less": ("engine = .*\n", "", "'engine' is missing"),
}
"""Pattern in run.toml, replacement, error. With an empty pattern the replacement stands for the config."""


@pytest.mark.parametrize("what", HOSTILE)
def test_a_run_that_would_be_trouble_later_is_refused_when_it_comes(what: str) -> None:
    """The digests are correct: the author of an archive can write them, too."""
    pattern, other, said = HOSTILE[what]
    config = header().config if pattern else other
    text = run_text(replace(RUN, header=replace(header(), config=config)))
    if pattern:
        text = re.sub(pattern, lambda _: other, text, count=1)
        body = text[: text.rindex(INTEGRITY)]
        text = f'{body}{INTEGRITY}sha256 = "{digest(body)}"\n'
    with pytest.raises(StoreError, match=rf"^run\.toml: .*{re.escape(said)}"):
        read_run_text(text, config, "run.toml")


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
