"""Declares the keys of a league file (league-file.md); those of its other tables are in the tournament's schema."""

from __future__ import annotations

from harness.records.values.run import LONGEST_NAME
from harness.tournament.config import schema
from harness.tournament.config.toml.keys import DurationKey, IntegerKey, NumberKey, StringKey, TableKey, TableSchema

LONGEST_LEAGUE_NAME = LONGEST_NAME - 14
"""Characters of a league's name: season and epoch follow it in the names of its runs, as in autumn-s2-e1045."""

NAME = StringKey(
    name="name",
    syntax=f"1 to {LONGEST_LEAGUE_NAME} letters, digits, `.`, `-` or `_`, the first a letter or digit",
    otherwise="the name of the file",
    example='"autumn"',
    text="The name of the league. It never changes.",
)
EPOCH = StringKey(
    name="epoch",
    default="1h",
    syntax='a time such as `"1h"` or `"20m"`, or deal sets such as `"200 sets"`',
    example='"200 sets"',
    text="How long an epoch is. Bots come, change and go between two epochs, and the seed of an epoch is published at "
    "its end.",
)
SUSPEND = NumberKey(
    name="suspend",
    default=0.1,
    above=0.0,
    below=1.0,
    example="0.25",
    text="A bot that faults in more than this share of its latest games is suspended until it has a new version. "
    "So is a bot that is withdrawn from an epoch.",
)
PAUSE = DurationKey(
    name="pause",
    default_ms=0,
    low_ms=0,
    example='"30s"',
    text="How long the league rests between two epochs.",
)
DISK = IntegerKey(
    name="disk_mb",
    default=0,
    low=0,
    unit="MiB",
    example="20000",
    text="The most that the database may take. When it takes more, the oldest complete epochs of earlier seasons leave "
    "it; their archives stay. 0 is no limit.",
)
LOGS = IntegerKey(
    name="keep_logs",
    default=100,
    low=1,
    unit="epochs",
    example="20",
    text="How many of the latest epochs keep the logs of their bots. The stories of faults stay.",
)
LEAGUE_TABLE = TableSchema("[league]", (NAME, EPOCH, PAUSE, SUSPEND, DISK, LOGS))
LEAGUE = TableKey(name="league", table=LEAGUE_TABLE, example="{}", text="The league.")
BOT = TableKey(
    name="bot",
    table=schema.LOCAL_BOT_TABLE,
    many=True,
    example='[{ path = "greedy" }, { path = "bots/ada" }]',
    text="A bot of the organiser's machine that takes part.",
)
LEAGUE_FILE = TableSchema("the league file", (LEAGUE, schema.TOURNAMENT, schema.TIME, schema.VARIANT, BOT))

DECIDED = {
    schema.NAME: "the league names its epochs",
    schema.FORMAT: "the league decides who meets whom",
    schema.CHALLENGERS: "the league decides who meets whom",
    schema.ROUNDS: "the league decides who meets whom",
    schema.SEEDING: "the league decides who meets whom",
    schema.SETS: "[league] epoch says how long an epoch is",
    schema.STOP: "[league] epoch says how long an epoch is",
    schema.SEED: "each epoch draws a seed of its own",
    schema.BEACON: "each epoch draws a seed of its own",
    schema.RATED: "a league is rated",
    schema.PACKS_KEY: "each line-up of a league has packs of its own",
}
"""The keys of `[tournament]` that a league file does not have, and why."""
