"""Games played at the referee's own table while somebody watches."""

from __future__ import annotations

import random
from collections.abc import Mapping

from bowerbird.engine import Game
from bowerbird.harness.records.values.game_record import GameRecord, OptionValue
from bowerbird.harness.records.values.live import LiveSteps
from bowerbird.harness.referee.game.table import Table, fresh_game
from bowerbird.harness.referee.spec import TableSpec
from bowerbird.harness.referee.table_watch import TableWatch
from bowerbird.harness.watch.live_table import LiveTable
from tests.support.records.played_games import Misbehaviour, around, play_on, seated, spec_of


class LiveGame:
    """A game, its record, and the steps that spectators were told of while it was played."""

    def __init__(
        self,
        variant: str,
        number: int = 6,
        *,
        on_fault: str = "substitute",
        misbehave: Misbehaviour | None = None,
        options: Mapping[str, OptionValue] | None = None,
    ) -> None:
        """Play it to its end."""
        options = {"max_hands": 3} if options is None else options
        bots = around(spec_of(variant, ("ann", "bob"), options=options))
        self.spec: TableSpec = spec_of(variant, bots, options=options, set_number=number, on_fault=on_fault)
        self.steps: list[LiveSteps] = []
        self.record: GameRecord = self._play(seated(self.spec), number, misbehave)

    def _play(self, table: Table, number: int, misbehave: Misbehaviour | None) -> GameRecord:
        watch = TableWatch(table, self.steps.append)

        def tell(at: Table) -> bool:
            watch.tell()
            return misbehave is not None and misbehave(at)

        record = play_on(table, random.Random(number), tell)
        watch.end("void")
        return record

    def new_game(self) -> Game:
        """Return the game before its first action."""
        return fresh_game(self.spec)

    def table(self) -> LiveTable:
        """Return the table of a spectator who has seen nothing."""
        return LiveTable(self.new_game, [seat.bot for seat in self.record.seats], self.record.clocks)
