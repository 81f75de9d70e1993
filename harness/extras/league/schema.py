"""Declares the keys of a league file (league-file.md). The keys of its other tables are in the tournament's schema."""

from __future__ import annotations

from bowerbird.harness.extras.drand.rounds import QUICKNET
from bowerbird.harness.records.values.run import LONGEST_NAME
from bowerbird.harness.tournament.config import schema
from bowerbird.harness.tournament.config.toml.keys import (
    ChoiceKey,
    DurationKey,
    IntegerKey,
    NumberKey,
    StringKey,
    StringsKey,
    TableKey,
    TableSchema,
)

LONGEST_LEAGUE_NAME = LONGEST_NAME - 14
"""The maximum length of a league's name. Season and epoch follow it in the names of runs, as in autumn-s2-e1045."""

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
    text="The length of an epoch. Bots join, change and leave between epochs, and the seed of an epoch is published "
    "at its end.",
)
SUSPEND = NumberKey(
    name="suspend",
    default=0.1,
    above=0.0,
    below=1.0,
    example="0.25",
    text="A bot that faults in more than this share of its latest games is suspended until it has a new version, as "
    "is a bot that is withdrawn from an epoch.",
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
    text="The maximum size of the database. If it grows larger, the oldest complete epochs of earlier seasons are "
    "deleted from it. Their archives stay. 0 means no limit.",
)
LOGS = IntegerKey(
    name="keep_logs",
    default=100,
    low=1,
    unit="epochs",
    example="20",
    text="How many of the latest epochs keep their bots' logs. The stories of faults are always kept.",
)
BEACON = ChoiceKey(
    name="beacon",
    allowed=("drand",),
    otherwise="no beacon",
    example='"drand"',
    text="Binds the deals of each epoch to a round of drand, a public source of random values. The round comes after "
    "the epoch has committed to its seed, and the epoch waits for it. Needs the extra `beacon`.",
)
ADDRESSES = StringsKey(
    name="addresses",
    of="addresses",
    otherwise="the public addresses of quicknet",
    example='["https://drand.example.org/chain"]',
    text="The addresses to ask for a round, in this order. `/public/` and the round's number are added to each. "
    "`http://` is allowed, since a round's signature proves it.",
)
LEAD = DurationKey(
    name="lead",
    default_ms=30_000,
    low_ms=1000,
    example='"1m"',
    text="How long after the commitment the round comes. It must be longer than any error of the machine's clock.",
)
PUBLIC_KEY = StringKey(
    name="public_key",
    syntax="192 hexadecimal digits",
    otherwise="that of quicknet",
    example=f'"{QUICKNET.public_key[:16]}…"',  # the whole default does not fit on a line of the page
    text="The key of another chain, whose scheme is `bls-unchained-g1-rfc9380`. "
    "Such a chain needs `genesis`, `period` and `addresses`, too.",
)
GENESIS = IntegerKey(
    name="genesis",
    low=0,
    high=99_999_999_999,
    unit="seconds of Unix time",
    otherwise="that of quicknet",
    example=str(QUICKNET.genesis),
    text="When the first round of another chain came.",
)
PERIOD = IntegerKey(
    name="period",
    low=1,
    high=86_400,
    unit="seconds",
    otherwise="that of quicknet",
    example=str(QUICKNET.period),
    text="The time between two rounds of another chain.",
)
DRAND_TABLE = TableSchema("[league.drand]", (ADDRESSES, LEAD, PUBLIC_KEY, GENESIS, PERIOD))
DRAND = TableKey(
    name="drand",
    table=DRAND_TABLE,
    example='{ lead = "1m" }',
    text="Where rounds of drand come from ([its keys](#rounds-of-drand)).",
)
LEAGUE_TABLE = TableSchema("[league]", (NAME, EPOCH, PAUSE, SUSPEND, DISK, LOGS, BEACON, DRAND))
LEAGUE = TableKey(name="league", table=LEAGUE_TABLE, example="{}", text="The league.")
BOT = TableKey(
    name="bot",
    table=TableSchema("[[bot]]", tuple(key for key in schema.LOCAL_BOT_TABLE.keys if key != schema.ENTRY_TIME)),
    many=True,
    example='[{ path = "greedy" }, { path = "bots/ada" }]',
    text="A bot on the organiser's machine that takes part.",
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
    schema.SEED: "each epoch draws its own seed",
    schema.BEACON: "[league] beacon says whether epochs have one",
    schema.BEACON_SOURCE: "[league] beacon says whether epochs have one",
    schema.RATED: "a league is rated",
    schema.PACKS_KEY: "each line-up of a league has packs of its own",
}
"""The keys of `[tournament]` that a league file must not have, and why."""
