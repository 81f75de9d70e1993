"""V23 once more, from the rules alone and without the engine's code.

`hand` is a generator: it yields who is asked and what he may say, and is sent what he says.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping

from tests.support.engine.second_cards import JOKER, SUITS, Asked, Hands, dealt, tokens, tricks, turns

Options = Mapping[str, bool | int | str]


class Score:
    """The points of both teams, and who has won (V23.8, V23.9)."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.points = [0, 0]
        self.winner: int | None = None

    def hand(self, dealer: int, pack: list[str]) -> Generator[Asked, str, None]:
        """Ask for every decision of a hand, and count it."""
        seats = turns((dealer + 1) % 4, 4)
        hands, (widow,) = dealt(pack, seats, (3, 3))
        maker, bid = yield from self._auction(seats, hands)
        if maker is None:
            return
        trump = (yield maker, [f"call {suit}" for suit in SUITS]).split()[1]
        if self.options["widow"] == "maker":
            hands[maker].append(widow)
            hands[maker].remove((yield maker, tokens("discard", hands[maker])).split()[1])
        won = yield from tricks(hands, trump, maker, seats, 6)
        taken = [won[0] + won[2], won[1] + won[3]]
        ours, theirs = maker % 2, 1 - maker % 2
        is_made = taken[ours] >= bid
        self.points[ours] += taken[ours] if is_made else -bid
        self.points[theirs] += taken[theirs]
        rule = self.options["defenders_win"]
        makers_may, defenders_may = (
            is_made or rule == "always",
            rule == "always" or (rule == "after_set" and not is_made),
        )
        for team, may in ((theirs, defenders_may), (ours, makers_may)):
            if may and self.points[team] >= int(self.options["target"]):
                self.winner = team

    def _auction(self, seats: list[int], hands: Hands) -> Generator[Asked, str, tuple[int | None, int]]:
        maker, high, silent = None, 0, 0
        rounds = 1 if self.options["auction"] == "one_round" else 9
        for seat in seats * rounds:
            bids = range(max(int(self.options["min_bid"]), high + 1), 7)
            said = yield seat, ["pass", *(f"bid {number}" for number in bids)]
            silent = silent + 1 if said == "pass" else 0
            if said != "pass":
                maker, high = seat, int(said.split()[1])
            if rounds > 1 and silent == (4 if maker is None else 3):
                break
        holder = next((seat for seat in seats if JOKER in hands[seat]), None)
        if maker is None and holder is not None and self.options["all_pass"] == "joker":
            maker, high = holder, int(self.options["forced_bid"])
            yield maker, [f"bid {high}"]
        return maker, high
