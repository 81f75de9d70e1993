"""A table in play, as one spectator sees it: turns the referee's steps into public frames.

Every spectator replays the game in its own thread. Steps for which nobody gets frames are applied without them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from bowerbird.engine import Action, Game
from bowerbird.harness.records.replay.frames import Frame, FrameMaker
from bowerbird.harness.records.replay.replay import Step
from bowerbird.harness.records.replay.visibility import PUBLIC
from bowerbird.harness.records.values.game_record import FaultRecord, ResultRecord, TimeControl
from bowerbird.harness.records.values.live import LiveAction, LiveAsked, LiveEnd, LiveSteps
from bowerbird.harness.watch.values import TableEnded, TableUpdate, Thinking

_NS_PER_MS = 1_000_000
_PAUSE_EVERY = 8


class LiveTable:
    """The state of a watched table after some steps. It is not thread-safe: one spectator, one thread."""

    def __init__(self, new_game: Callable[[], Game], names: Sequence[str], clocks: Sequence[TimeControl]) -> None:
        """Start with the first card. `new_game` returns the game; `names` and `clocks` are the bots', by seat."""
        self._new_game = new_game
        self._names = tuple(names)
        self._clocks = tuple(clocks)
        self._begin()

    def _begin(self) -> Frame:
        self._game = self._new_game()
        self._maker = FrameMaker(self._names, self._clocks, PUBLIC)
        self._index = 0
        self._faults: dict[tuple[int, int], FaultRecord] = {}
        self._last: Frame | None = self._maker.deal(self._game)
        return self._last

    def catch_up(self, steps: Sequence[LiveSteps]) -> list[TableUpdate]:
        """Apply the steps of a game from the first one on. Return the updates of its current hand."""
        actions = [action for one in steps for action in one.actions]
        deal, first = self._begin(), 0
        self._note_faults(steps)
        game, banks = self._game.copy(), list(self._maker.banks)
        for number, action in enumerate(actions):
            _let_others_run(number)
            if (dealt := self._apply(action)) is not None:
                deal, first = dealt, number + 1
                game, banks = self._game.copy(), list(self._maker.banks)
        self._return_to(game, banks)
        self._note_faults(steps)
        return [deal, *self._updates(actions[first:], steps[-1] if steps else None)]

    def _return_to(self, game: Game, banks: Sequence[int]) -> None:
        """Return to the beginning of a hand."""
        self._game = game
        self._index = 0
        self._last = self._maker.deal(game)
        self._maker.banks = list(banks)

    def take(self, steps: Sequence[LiveSteps], most: int) -> tuple[list[TableUpdate], int]:
        """Apply further steps. Return the updates of the last `most` actions, and how many before had none."""
        self._note_faults(steps)
        actions = [action for one in steps for action in one.actions]
        skipped = max(0, len(actions) - most)
        for number, action in enumerate(actions[:skipped]):
            _let_others_run(number)
            self._apply(action)
        return self._updates(actions[skipped:], steps[-1]), skipped

    def _updates(self, actions: Sequence[LiveAction], last: LiveSteps | None) -> list[TableUpdate]:
        updates: list[TableUpdate] = [frame for action in actions for frame in self._frames(action)]
        if last is not None and last.end is not None:
            updates += self._end(last.end)
        elif last is not None and last.asked is not None:
            updates.append(self._thinking(last.asked))
        return updates

    def _note_faults(self, steps: Sequence[LiveSteps]) -> None:
        self._faults |= {(fault.hand, fault.action): fault for one in steps for fault in one.faults}

    def _apply(self, action: LiveAction) -> Frame | None:
        """Apply an action without frames. Return the frame of the next deal if it ended the hand."""
        seat, parsed = _parsed(action)
        results = len(self._game.results)
        self._faults.pop((results, self._index), None)
        self._game.apply(parsed)
        self._maker.skip(seat, action.ms)
        self._index += 1
        self._last = self._next_hand(results)
        return self._last

    def _frames(self, action: LiveAction) -> list[Frame]:
        """Apply an action. Return its frames, and the next deal's frame if the action ended the hand."""
        seat, parsed = _parsed(action)
        before = self._game.copy()
        results = len(before.results)
        self._game.apply(parsed)
        _let_others_run(0)
        made = self._maker.step(
            Step(
                hand=results,
                index=self._index,
                seat=seat,
                token=parsed.token,
                action=parsed,
                legal=(),
                forced=action.forced,
                substituted=action.substituted,
                ms=action.ms,
                fault=self._faults.pop((results, self._index), None),
                before=before,
                after=self._game,
            )
        )
        self._index += 1
        if (deal := self._next_hand(results)) is not None:
            made.append(deal)
        self._last = made[-1] if made else self._last
        return made

    def _next_hand(self, results: int) -> Frame | None:
        if len(self._game.results) == results:
            return None
        self._index = 0
        return None if self._game.is_over else self._maker.deal(self._game)

    def _end(self, end: LiveEnd) -> Iterator[TableUpdate]:
        """Yield the fault that ended the game, if any, and the end."""
        for fault in self._faults.values():
            result = ResultRecord(end.ended, end.winners, end.ranks, ())
            yield self._maker.forfeit(fault, result, self._last or self._maker.frame(self._game))
        yield TableEnded(end.ended, end.winners, end.ranks)

    def _thinking(self, asked: LiveAsked) -> Thinking:
        seat = self._maker.frame(self._game).actor
        elapsed = max(0, time.monotonic_ns() - asked.at_ns) // _NS_PER_MS
        return Thinking(seat, elapsed, asked.limit_ms)


def _let_others_run(number: int) -> None:
    """Release the interpreter at every `_PAUSE_EVERY`-th action, since the referee's threads come first."""
    if number % _PAUSE_EVERY == 0:
        time.sleep(0)


def _parsed(action: LiveAction) -> tuple[int, Action]:
    seat, _, token = action.text.partition(" ")
    return int(seat), Action(token)
