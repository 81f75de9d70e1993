"""Ends of a game (section 9 of a variant's page, B4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bowerbird.engine.results import CLAIMED, SWEEP, TARGET, UNCONTESTED, Verdict
from bowerbird.engine.scoring import makers_made_it
from bowerbird.engine.state import State


@dataclass(frozen=True)
class FirstTo:
    """The end at `target` points after a hand: one side wins in team games (A14), otherwise all who reached it (D4)."""

    target: int
    counts_games = False

    def settle(self, h: State) -> Verdict | None:
        """Return the verdict of this hand, or None; see `End`."""
        if max(h.scores) < self.target:
            return None
        return Verdict(TARGET, tuple([seat for seat, score in enumerate(h.scores) if score >= self.target]))


@dataclass(frozen=True)
class HighestTo(FirstTo):
    """The end at `target` points after a hand, won by the highest score; ties share the win (V8.9, V18.9, V21.9)."""

    def settle(self, h: State) -> Verdict | None:
        """Return the verdict of this hand, or None; see `End`."""
        highest = max(h.scores)
        if highest < self.target:
            return None
        return Verdict(TARGET, tuple(seat for seat, score in enumerate(h.scores) if score == highest))


SIMULTANEOUS_WIN: Mapping[str, Callable[[int], FirstTo]] = {"joint": FirstTo, "highest": HighestTo}
"""The end at a given target, chosen by the option `simultaneous_win` (D4)."""


@dataclass(frozen=True)
class Match:
    """A match of several games of `target` points, with laps and slams (B4). The first team to win `games` games wins.

    With `slam_after_lap`, a team whose only points come from a lap can be slammed, too (O8).
    """

    target: int
    games: int
    lap: bool
    slam: bool
    slam_after_lap: bool = False
    counts_games = True

    def settle(self, h: State) -> Verdict | None:
        """Credit games and carry the surplus over to the next game; see `End`."""
        best = max(h.scores)
        if best < self.target:
            return None
        side = h.rules.sides[h.scores.index(best)]
        brought = h.lapped or (0,) * len(h.scores)
        others_have_none = all(
            score == before for score, before, of in zip(h.scores, brought, h.rules.sides, strict=True) if of != side
        )
        credit = 2 if self.slam and others_have_none and h.hand_ended != CLAIMED else 1
        surplus = best - self.target if self.lap else 0
        credit += surplus // self.target
        surplus %= self.target
        h.games = tuple(games + credit * (of == side) for games, of in zip(h.games, h.rules.sides, strict=True))
        won = max(h.games) >= self.games
        h.scores = tuple(0 if won or of != side else surplus for of in h.rules.sides)
        if self.slam_after_lap:
            h.lapped = h.scores
        return Verdict(TARGET, tuple(seat for seat, of in enumerate(h.rules.sides) if of == side)) if won else None


@dataclass(frozen=True)
class CountDown:
    """The end of a countdown: once a score is 0 or less, the lowest score wins; ties share the win (V12.9b).

    With `sweep` a player who takes all `tricks` of a hand wins at once, whatever the scores (V12.9a). With
    `uncontested_sweep` this is also true of tricks that were only credited.
    """

    tricks: int
    sweep: bool
    uncontested_sweep: bool
    counts_games = False

    def settle(self, h: State) -> Verdict | None:
        """Return the verdict of this hand, or None; see `End`."""
        if self.sweep and (self.uncontested_sweep or h.hand_ended != UNCONTESTED) and self.tricks in h.tricks_won:
            h.hand_ended = SWEEP
            return Verdict(SWEEP, (h.tricks_won.index(self.tricks),))
        winners = self.arrived(h)
        return Verdict(TARGET, winners) if winners else None

    def arrived(self, h: State) -> tuple[int, ...]:
        """Return the seats that win by score; () if there are none."""
        lowest = min(h.scores)
        return tuple(seat for seat, score in enumerate(h.scores) if score == lowest) if lowest <= 0 else ()


@dataclass(frozen=True)
class CountDownInTurn(CountDown):
    """A `CountDown` with a single winner: the first player from the eldest whose score is 0 or less (V14.9)."""

    def arrived(self, h: State) -> tuple[int, ...]:
        """Return the first seat from the eldest whose score is 0 or less; () if there is none."""
        return tuple(seat for seat in h.from_seat(h.eldest) if h.scores[seat] <= 0)[:1]


@dataclass(frozen=True)
class MakersTo:
    """The end at `target` points for the makers of a successful bid, and in no other way (V22.9 never).

    Both teams score in a hand, so both can have `target` points, but at most one of them wins.
    """

    target: int
    counts_games = False

    def settle(self, h: State) -> Verdict | None:
        """Return the verdict of this hand, or None; see `End`."""
        assert h.maker is not None
        makers = h.sides[h.maker]
        made = makers_made_it(h)
        for side in dict.fromkeys((makers, *h.sides)):  # the makers first
            team = tuple([seat for seat, of in enumerate(h.sides) if of == side])
            if h.scores[team[0]] >= self.target and self.may_win(side == makers, made):
                return Verdict(TARGET, team)
        return None

    def may_win(self, is_maker: bool, made: bool) -> bool:
        """Return whether makers or defenders with `target` points win after a bid that was made or failed."""
        return is_maker and made


@dataclass(frozen=True)
class BiddersTo(MakersTo):
    """Like `MakersTo`, but the defenders also win with `target` points after a failed bid (V22.9 after_set)."""

    def may_win(self, is_maker: bool, made: bool) -> bool:
        """Return whether a team with `target` points wins; see `MakersTo.may_win`."""
        return is_maker == made


@dataclass(frozen=True)
class EitherTo(MakersTo):
    """The end at `target` points for either team; if both reach them, the makers win (V22.9 always)."""

    def may_win(self, is_maker: bool, made: bool) -> bool:
        """Return whether a team with `target` points wins; see `MakersTo.may_win`."""
        return True


BIDDERS_END: Mapping[str, Callable[[int], MakersTo]] = {
    "after_set": BiddersTo,
    "never": MakersTo,
    "always": EitherTo,
}
"""The end at a given target, chosen by the option `defenders_win`."""
