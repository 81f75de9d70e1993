"""Decides which cards may be shown while a run is being played: only those that will not be dealt again.

A viewer could pass others on to a bot.

The packs of a deal set are dealt in each of its rotations and, with packs "common", to every line-up that plays the set
of this number. They are open once all these deal sets are stored or left out. Until then nobody sees a hand, a replay
or a story of a game with them. When a run is complete, all packs are open.

A table in play never shows hands, only cards as they are played. It is shown only while every bot that may still meet
its packs is local and sandboxed, so that nobody can pass information to it (`why_table_hidden`).

- A set that replaces a void one has other packs, which the other line-ups get only if their own sets are void. So the
  rule applies to any attempt. The same is true of sets dealt from the seed of a correction.
- In Swiss and knockout, results decide which line-ups play the set of a number. A later round plays other numbers, and
  begins only when the round is complete. So with common packs, the sets of a round are open once a set of a later round
  has ended.
- If a run with common packs is resumed with more bots, the new ones are dealt packs that were open before. An organiser
  who adds bots in the middle of a run should use packs "own".

Uses no database and no clock. The watch service and the pages of stored games both use it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from bowerbird.harness.records.values.game_record import SANDBOX
from bowerbird.harness.records.values.run import COMMON, OWN, SetKey
from bowerbird.harness.records.values.set_keys import SetKeys
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.config.tournament_file import TournamentFile
from bowerbird.harness.tournament.formats.dependents import rounds_of

UNTIL_SET = "it is shown when its deal set has been played"
UNTIL_LINEUPS = "it is shown when every line-up has played deal set {number} of {entry}"
UNTIL_ROUND = "it is shown when the next round begins"
UNTIL_END = "it is shown when the run is complete"
DEALT_AGAIN = "the deal of this game will be played again; {until}"


@dataclass(frozen=True, slots=True)
class PackUse:
    """The rules for who is dealt the packs of a run.

    packs: "common" or "own".
    form: the name of the format.
    sets: the number of deal sets per variant in a line-up or match.
    lineups: by variant entry, the line-ups that may play it; None if they are unknown because the run's bots are gone.
    """

    packs: str
    form: str
    sets: int
    lineups: Mapping[str, tuple[str, ...]] | None


def pack_use(file: TournamentFile) -> PackUse:
    """Return who is dealt the packs of a run of this file."""
    lineups = {entry.id: tuple(lineup.text for lineup in entry.lineups) for entry in file.variants}
    return PackUse(file.packs, file.terms.name, file.sets, lineups)


class OpenHands:
    """The open deal sets of a run. Pass it every set that is stored or left out."""

    def __init__(self, use: PackUse, ended: Iterable[SetKey] = (), *, is_complete: bool = False) -> None:
        """Start with the sets in `ended`, which are stored or left out. In a complete run, all are open."""
        self._use = use
        self._ended = SetKeys()
        self._newest: dict[str, int] = {}
        """The newest round with an ended set, by variant entry; only in formats with rounds."""
        self.is_complete = is_complete
        for key in ended:
            self._note(key)

    def add(self, key: SetKey) -> tuple[SetKey, ...]:
        """Add a set that has been stored or left out. Return the sets that this opens, in order."""
        newest = self._newest_round
        before = self.is_open(key)
        self._note(key)
        if before:
            return ()
        if self._newest_round != newest:
            rounds = set(range(newest, self._newest_round))
            return tuple(one for one in self._ended if self._round(one) in rounds)
        return tuple(sorted(one for one in self._same_packs(key) if self.is_open(one) and one in self._ended))

    def end(self) -> None:
        """Open everything: the run is complete."""
        self.is_complete = True

    def is_open(self, key: SetKey) -> bool:
        """Return whether no later game will be dealt the packs of a deal set."""
        if self.is_complete:
            return True
        if self._use.packs == OWN:
            return key in self._ended
        if self._use.lineups is None:
            return False
        if round_ := self._round(key):
            return round_ < self._newest_round
        return key.entry in self._use.lineups and all(one in self._ended for one in self._same_packs(key))

    def why_hidden(self, key: SetKey) -> str:
        """Return a sentence about when a deal set will be shown; "" if it is open."""
        if self.is_open(key):
            return ""
        if self._use.packs == OWN:
            until = UNTIL_SET
        elif self._use.lineups is None or key.entry not in self._use.lineups:
            until = UNTIL_END
        elif self._round(key):
            until = UNTIL_ROUND
        else:
            until = UNTIL_LINEUPS.format(number=key.number, entry=key.entry)
        return DEALT_AGAIN.format(until=until)

    @property
    def _newest_round(self) -> int:
        return max(self._newest.values(), default=0)

    def _note(self, key: SetKey) -> None:
        self._ended.add(key)
        if round_ := self._round(key):
            self._newest[key.entry] = max(round_, self._newest.get(key.entry, 0))

    def _round(self, key: SetKey) -> int:
        """Return the round of a deal set, from 1; 0 without rounds, and with own packs, where rounds do not matter."""
        if self._use.packs == OWN:
            return 0
        found = rounds_of(self._use.form, self._use.sets, [key])
        return found[0] if found else 0

    def _same_packs(self, key: SetKey) -> tuple[SetKey, ...]:
        """Return the deal sets that are dealt the packs of `key`."""
        if self._use.packs == OWN or self._use.lineups is None:
            return (key,)
        return tuple(SetKey(key.entry, lineup, key.number) for lineup in self._use.lineups.get(key.entry, ()))


def why_table_hidden(packs: str, isolation: str, bots: Collection[BotSpec], at_table: Collection[str]) -> str:
    """Return a sentence on why a table in play is not shown card by card; "" if it is shown.

    packs: "common" or "own".
    isolation: the tier of the run's local bots.
    bots: the run's bots. at_table: the names of the bots at the table; with own packs, no other bot meets the same
        packs.
    """
    meets = [bot for bot in bots if packs == COMMON or bot.name in at_table]
    remote = [bot.name for bot in meets if bot.remote]
    if remote:
        return f"tables in play are not shown, because bot {remote[0]!r} is remote and could be told what lies on them"
    networked = [bot.name for bot in meets if bot.network]
    if networked:
        bot = repr(networked[0])
        return f"tables in play are not shown, because bot {bot} has a network and could be told what lies on them"
    if isolation != SANDBOX:
        return "tables in play are not shown, because the bots are not in a sandbox and could be told what lies on them"
    return ""
