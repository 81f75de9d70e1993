"""Follows a game from its deal: makes the frames of one seat, and those with all cards, from reported actions.

The process of the run reports the actions, even hidden ones. The program that shows the game dealt the packs, so it may
know them; the frames of the seat show only what that seat knows.
"""

from __future__ import annotations

from collections.abc import Sequence

from bowerbird.engine import EngineError, Game
from bowerbird.harness.records.replay.frames import Frame, FrameMaker
from bowerbird.harness.records.replay.replay import Step
from bowerbird.harness.records.values.game_record import FaultRecord, TimeControl
from bowerbird.harness.records.values.live import LiveAction, LiveSteps


class Follower:
    """The game as one seat saw it so far.

    Attributes:
        game: the game after the last action that was told. Do not change it.
        open_frames: the frames of every finished hand with all cards, by hand.
        steps: the steps of every finished hand, by hand. Each has the game before it; `after` is the game of now.
    """

    def __init__(self, game: Game, seat: int, names: Sequence[str], time: TimeControl) -> None:
        """Follow from the deal of `game`. `names` are those of the bots by seat; `time` is the clock of all."""
        self.game = game.copy()
        self.open_frames: list[list[Frame]] = []
        self.steps: list[list[Step]] = []
        clocks = [time] * len(names)
        self._seen = FrameMaker(names, clocks, seat)
        self._all = FrameMaker(names, clocks, None)
        self._faults: dict[tuple[int, int], FaultRecord] = {}
        self._index = 0
        """The number of the next action of the hand."""
        self._hand = [self._all.deal(self.game)]
        self._steps: list[Step] = []

    def deal(self) -> Frame:
        """Return the frame of the deal of the first hand, for the seat. Call it first, and once."""
        return self._seen.deal(self.game)

    def take(self, steps: LiveSteps) -> list[Frame]:
        """Take what happened next; return the frames of the seat. Raises EngineError for what cannot have happened."""
        self._faults |= {(fault.hand, fault.action): fault for fault in steps.faults}
        return [frame for action in steps.actions for frame in self._apply(action)]

    def _apply(self, told: LiveAction) -> list[Frame]:
        before = self.game.copy()
        legal = before.legal_actions()
        seat, _, token = told.text.partition(" ")
        action = next((one for one in legal if one.token == token), None)
        if action is None or str(before.actor) != seat:
            raise EngineError(f"{told.text!r} was told, and cannot be played")
        hand = len(before.results)
        self.game.apply(action)
        step = Step(
            hand=hand,
            index=self._index,
            seat=int(seat),
            token=token,
            action=action,
            legal=legal,
            forced=told.forced,
            substituted=told.substituted,
            ms=told.ms,
            fault=self._faults.pop((hand, self._index), None),
            before=before,
            after=self.game,
        )
        self._index += 1
        self._steps.append(step)
        self._hand += self._all.step(step)
        fresh = self._seen.step(step)
        if not step.is_within_hand:
            fresh += self._next_hand()
        return fresh

    def _next_hand(self) -> list[Frame]:
        """Turn the hands over; return the frame of the next deal, if there is one."""
        self.open_frames.append(self._hand)
        self.steps.append(self._steps)
        self._index, self._steps = 0, []
        if self.game.is_over:
            return []
        self._hand = [self._all.deal(self.game)]
        return [self._seen.deal(self.game)]
