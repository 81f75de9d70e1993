"""Limits on what one process of a rated run may know (protocol.md, Instances), checked in all bytes sent to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from bowerbird.engine import new_game
from bowerbird.harness.records.store.store import Store
from bowerbird.seat.v1 import seat_pb2
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.records.every_game import every_game

SETS = 2

FILE = """
[tournament]
seed = "instances"
sets = {sets}
packs = "{packs}"
[[variant]]
name = "{variant}"
"""

OPEN = ("--isolation", "limits")
"""No sandbox: a spy must write down what it hears."""

NAMES = ("one", "two", "three")
GAMES_A_SET = {"euchre": 2, "buck": 4}
SEATS = 4

Deal = tuple[str, int, int, frozenset[str]]
"""A seat's view of a first hand: variant, seat, dealer, its cards. Here no two packs deal the same."""


def _messages(file: Path) -> Iterator[seat_pb2.PlayResponse]:
    """Yield all messages that were sent to one process."""
    data = file.read_bytes()
    while data:
        length = int.from_bytes(data[:4], "big")
        yield seat_pb2.PlayResponse.FromString(data[4 : 4 + length])
        data = data[4 + length :]


def _tables(file: Path) -> dict[str, Deal]:
    """Return the tables of one process, with the deal that each began with."""
    opened: dict[str, seat_pb2.PlayResponse] = {}
    tables: dict[str, Deal] = {}
    for message in _messages(file):
        if message.WhichOneof("message") == "table_opened":
            opened[message.table_opened.table_id] = message
        for request in message.decision_requests.requests:
            view = request.view
            if view.public_view.hand_number == 0 and request.table_id not in tables:
                table = opened[request.table_id].table_opened
                dealt = next(memory.cards for memory in view.own_view.memory if memory.kind == 1)
                tables[request.table_id] = (table.variant, table.seat, view.public_view.dealer, frozenset(dealt))
    assert set(tables) == set(opened), "each table must have asked about its first hand"
    return tables


def _packs_by_deal(database: Path) -> dict[Deal, tuple[str, ...]]:
    """Return the pack behind each seat's first cards, computed from the run's seed and records alone."""
    deals: dict[Deal, tuple[str, ...]] = {}
    with Store.open(database) as store:
        for row in every_game(store):
            record = store.record(row.id)
            game = new_game(
                record.variant, record.options, first_dealer=record.first_dealer, packs=[h.packs for h in record.hands]
            )
            for seat in range(game.players):
                dealt = next(memory.cards for memory in game.view(seat).memory if memory.what == "dealt")
                deal = (record.variant, seat, game.dealer, frozenset(dealt))
                assert deals.setdefault(deal, record.hands[0].packs) == record.hands[0].packs
    return deals


@pytest.mark.parametrize(
    ("packs", "variant", "entered", "lineups"),
    [
        ("own", "euchre", 3, 3),
        ("common", "buck", 2, 1),
        ("common", "euchre", 3, 3),
        ("own", "buck", 3, 3),
    ],
)
def test_no_process_is_sent_two_seats_of_a_table_or_one_pack_twice(
    bowerbird: Bowerbird, packs: str, variant: str, entered: int, lineups: int
) -> None:
    spies = bowerbird.folder / "spies"
    spies.mkdir()
    bots = [bowerbird.bot(name, "honest", SPY_FOLDER=str(spies)) for name in NAMES[:entered]]
    file = bowerbird.tournament(FILE.format(sets=SETS, packs=packs, variant=variant), *bots)
    bowerbird.done("tournament", file, "--db", "x.db", "--quiet", *OPEN)
    pack_of = _packs_by_deal(bowerbird.folder / "x.db")

    seen = 0
    for spy in spies.iterdir():
        tables_by_pack: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for table, deal in _tables(spy).items():
            tables_by_pack[pack_of[deal]].append(table)
            seen += 1
        # Each seat has a table id of its own, so two seats of one table would count as two tables of one pack.
        twice = {pack: tables for pack, tables in tables_by_pack.items() if len(tables) > 1}
        assert not twice, f"process {spy.stem} met a pack more than once: {twice}"
    assert seen == lineups * SETS * GAMES_A_SET[variant] * SEATS, "every seat of every game was listened to"


def test_shared_instances_are_one_process_a_bot(bowerbird: Bowerbird) -> None:
    spies = bowerbird.folder / "spies"
    spies.mkdir()
    bots = [bowerbird.bot(name, "honest", SPY_FOLDER=str(spies)) for name in NAMES[:2]]
    text = FILE.format(sets=1, packs="common", variant="euchre").replace(
        "[tournament]", '[tournament]\ninstances = "shared"'
    )
    bowerbird.done("tournament", bowerbird.tournament(text, *bots), "--db", "x.db", "--quiet", *OPEN)
    assert len(list(spies.iterdir())) == len(bots)
    with Store.open(bowerbird.folder / "x.db") as store:
        conditions = {store.record(game.id).conditions.instances for game in every_game(store)}
    assert conditions == {"shared"}, "such a run is recorded as unprotected"
