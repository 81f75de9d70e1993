"""Runs that an organiser corrects: what their database holds, by game and by deal set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.run import GameId, SetKey
from bowerbird.harness.tournament.corrections import Corrected, reinstate_bot, void_games

WHY = "the machine of alpha swapped"
BY = "Ada"


def void(store: Store, *games: str) -> Corrected:
    """Void these games of the newest run."""
    return void_games(store.run(), games, why=WHY, by=BY)


def reinstate(store: Store, bot: str, *, with_faults: bool = False) -> Corrected:
    """Reinstate a bot of the newest run."""
    return reinstate_bot(store.run(), bot, why=WHY, by=BY, with_faults=with_faults)


@dataclass(frozen=True, slots=True)
class Games:
    """The games of a run that count: their records as text, by id."""

    texts: Mapping[str, str]

    @classmethod
    def of(cls, store: Store) -> Games:
        """Return those of the newest run."""
        return cls({game: store.record_text(game) for game in store.run().game_ids()})

    def changed_from(self, before: Games) -> set[str]:
        """Return the deal sets of the games that differ or are in one of both only."""
        ids = {*self.texts, *before.texts}
        return {str(GameId.parse(game).set_key) for game in ids if self.texts.get(game) != before.texts.get(game)}

    def commitments(self, key: SetKey | str) -> set[str]:
        """Return the commitments in the records of a deal set."""
        return {read(text).commitment for game, text in self.texts.items() if _is_in(game, key)}

    def packs(self, key: SetKey | str) -> list[tuple[tuple[str, ...], ...]]:
        """Return the packs of a deal set, game by game and hand by hand."""
        return [
            tuple(hand.packs for hand in read(text).hands)
            for game, text in sorted(self.texts.items())
            if _is_in(game, key)
        ]


def _is_in(game: str, key: SetKey | str) -> bool:
    return str(GameId.parse(game).set_key) == str(key)
