"""The check of one variant."""

from __future__ import annotations

import time
from collections import deque

from harness.compliance.bench import Bench
from harness.compliance.game import Explorer
from harness.compliance.scenarios import deals_of
from harness.compliance.verdict import NotTriedError, counted

QUICK_MS = 5
"""What a decision may take here: there are many, and whether the bot keeps to it is not the question."""


async def plays(bench: Bench, variant: str) -> str:
    """All its games, several at a time. Those that a slow bot has no time for are not held against it."""
    connection = await bench.connected()
    player = bench.player(connection, QUICK_MS)
    explorer = Explorer()
    deals = deque(deals_of(variant))
    games = len(deals)
    end = time.monotonic() + bench.patience.variant
    while deals:
        if time.monotonic() >= end:
            raise NotTriedError(
                f"{games - len(deals)} of {games} games went well, but took {bench.patience.variant:g} s; "
                "the others were not tried"
            )
        some = [deals.popleft() for _ in range(min(len(deals), bench.tables_tried))]
        await player.play(some, bench.pace(bench.tables_tried, bench.batch_tried), explorer)
    return (
        f"{counted(games, 'game')}, {counted(player.answers, 'decision')}; asked: {', '.join(sorted(explorer.asked))}"
    )
