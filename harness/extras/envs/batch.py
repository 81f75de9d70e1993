"""Many games of one variant, stepped together in this process, with observations in numpy arrays."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bowerbird.engine import Game, IllegalAction, new_game, rules_of
from bowerbird.harness.extras.envs.limits import with_hand_limit
from bowerbird.harness.extras.envs.plain_play import FROM_GAMES, PlainPlay
from bowerbird.harness.extras.envs.rewards import check_reward, of_game, of_hand
from bowerbird.harness.features.observing import Observer, observer_of
from bowerbird.harness.features.tracking import Tracker, write_arrays


@dataclass(frozen=True)
class Arrays:
    """The arrays with the state of a batch, one row per game. A step overwrites them.

    Attributes:
        observations: the acting seat's observation (`bowerbird.harness.features.layout`), float32.
        masks: 1 for each legal action, else 0, int8.
        actors: the seat to decide.
        rewards: the rewards of the last step, by seat.
        hand_ended: whether a hand ended with the last step.
        game_ended: whether a game ended with the last step. The row then belongs to the next game.
    """

    observations: NDArray[np.float32]
    masks: NDArray[np.int8]
    actors: NDArray[np.int64]
    rewards: NDArray[np.float32]
    hand_ended: NDArray[np.bool_]
    game_ended: NDArray[np.bool_]

    def rows(self, start: int, end: int) -> Arrays:
        """Return the rows of some of the games, in the same memory."""
        return Arrays(*(array[start:end] for array in vars(self).values()))


def shapes_of(observer: Observer, games: int) -> dict[str, tuple[tuple[int, ...], Any]]:
    """Return the shape and type of each of a batch's `Arrays`, by name."""
    return {
        "observations": ((games, observer.layout.size), np.float32),
        "masks": ((games, len(observer.actions)), np.int8),
        "actors": ((games,), np.int64),
        "rewards": ((games, observer.layout.players), np.float32),
        "hand_ended": ((games,), np.bool_),
        "game_ended": ((games,), np.bool_),
    }


class Batch:
    """Games of one variant. A game that ends is followed by a new one.

    `places` are the numbers of the games in a larger batch. The game at place k is first game k of the seed, then game
    k + `stride`, and so on.
    """

    def __init__(
        self,
        variant: str,
        options: Mapping[str, object] | None,
        *,
        places: Sequence[int],
        stride: int,
        reward: str,
        arrays: Arrays,
    ) -> None:
        check_reward(reward)
        self.arrays = arrays
        self._rules = rules_of(variant).rules(with_hand_limit(options))
        self._observer = observer_of(variant, self._rules.options)
        self._secret = b""
        self._of_hand = reward == "hand"
        self._places = tuple(places)
        self._stride = stride
        self._next: list[int] = []
        self._trackers: list[Tracker] = []
        on_arrays = len(places) >= FROM_GAMES and PlainPlay.fits(self._observer)
        self._plays = PlainPlay(self._observer, len(places)) if on_arrays else None

    def reset(self, secret: bytes) -> None:
        """Start all games afresh, with the packs of the engine's seed `secret`."""
        self._secret = secret
        self._next = list(self._places)
        self._trackers = [Tracker(self._observer, self._new_game(row)) for row in range(len(self._places))]
        arrays = self.arrays
        for array in (arrays.rewards, arrays.hand_ended, arrays.game_ended):
            array[:] = 0
        if self._plays is None:
            self._write(self._trackers)
        else:
            self._plays.clear()
            self._write_with(self._plays, list(range(len(self._places))))

    def saved(self) -> bytes:
        """Return the games in play, pickled, without the arrays."""
        hands = None if self._plays is None else self._plays.hands
        return pickle.dumps((self._secret, self._next, self._trackers, hands))

    def restore(self, saved: bytes) -> None:
        """Continue games that `saved` returned. The arrays must be those from that time."""
        self._secret, self._next, self._trackers, hands = pickle.loads(saved)
        if self._plays is not None:
            self._plays.restore(hands)

    def step(self, numbers: NDArray[np.int64]) -> None:
        """Apply one action, given by number, to each game. All of them must be legal (`refuse_illegal`)."""
        arrays, plays = self.arrays, self._plays
        arrays.rewards[:] = 0
        arrays.hand_ended[:] = False
        arrays.game_ended[:] = False
        if plays is None:
            self._write(self._moved(range(len(self._places)), numbers))
            return
        one_by_one, in_play = np.flatnonzero(~plays.hands.here), np.flatnonzero(plays.hands.here)
        played_out = plays.play(in_play, numbers[in_play])
        rows = one_by_one.tolist()
        for _ in self._moved(rows, numbers[one_by_one]):
            pass
        for row, tricks_won in zip(played_out.tolist(), plays.tricks_won(played_out), strict=True):
            tracker = self._trackers[row]
            tracker.end_play(tricks_won)
            self._end_hand(row, tracker)
            rows.append(row)
        self._write_with(plays, rows)

    def _moved(self, rows: Iterable[int], numbers: NDArray[np.int64]) -> Iterator[Tracker]:
        """Apply its action to each game of these rows, and yield the game while the processor's cache has it."""
        actions, trackers = self._observer.actions.actions, self._trackers
        for row, number in zip(rows, numbers.tolist(), strict=True):
            tracker = trackers[row]
            if tracker.apply_legal(actions[number]):
                self._end_hand(row, tracker)
            yield tracker

    def _end_hand(self, row: int, tracker: Tracker) -> None:
        """Set the rewards of a hand that has ended, and begin a new game if the game is over."""
        arrays, game = self.arrays, tracker.game
        arrays.hand_ended[row] = True
        if self._of_hand:
            arrays.rewards[row] = of_hand(self._rules, game.results[-1].points)
        if game.is_over:
            arrays.game_ended[row] = True
            if not self._of_hand:
                arrays.rewards[row] = of_game(game)
            tracker.start(self._new_game(row))

    def _new_game(self, row: int) -> Game:
        number = self._next[row]
        self._next[row] += self._stride
        return new_game(self._rules.variant, self._rules.options, seed=self._secret, set_number=number)

    def _write(self, trackers: Iterable[Tracker], rows: slice | Sequence[int] = slice(None)) -> None:
        """Write actors, observations and masks of the games of these rows."""
        arrays = self.arrays
        write_arrays(self._observer, trackers, arrays.actors, arrays.observations, arrays.masks, rows=rows)

    def _write_with(self, plays: PlainPlay, moved: Sequence[int]) -> None:
        """Pass those games of the rows `moved` that begin plain play to the arrays, and write all rows."""
        arrays, trackers = self.arrays, self._trackers
        begun = [row for row in moved if trackers[row].begins_plain_play]
        others = sorted({*moved}.difference(begun))
        if begun:
            plays.begin(begun, [trackers[row] for row in begun])
        plays.write(arrays.actors, arrays.observations, arrays.masks)
        if others:
            self._write([trackers[row] for row in others], others)


def refuse_illegal(arrays: Arrays, numbers: NDArray[np.int64], observer: Observer) -> None:
    """Raise IllegalAction, with the game, unless every number is that of a legal action of its game."""
    masks = arrays.masks
    known = (numbers >= 0) & (numbers < masks.shape[1])
    wrong = np.flatnonzero(~known | (masks[np.arange(len(masks)), np.where(known, numbers, 0)] == 0))
    if not len(wrong):
        return
    row = int(wrong[0])
    token = observer.actions[int(numbers[row])]
    legal = ", ".join(f"{number} ({observer.actions[number]})" for number in np.flatnonzero(masks[row]).tolist())
    raise IllegalAction(
        f'game {row}: seat {arrays.actors[row]} cannot do action {numbers[row]}, "{token}"; legal: {legal}'
    )
