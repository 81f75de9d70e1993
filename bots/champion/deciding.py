"""A network that decides in many games at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bots.champion.network import Array, Network
from bowerbird.engine import Action, Game, OptionValue, SeatView
from bowerbird.envs import action_mask, observation
from bowerbird.envs.tracking import Tracker, arrays_of, observer_of


class Decider:
    """A network for games of one variant with one set of options."""

    def __init__(self, network: Network, variant: str, options: Mapping[str, OptionValue]) -> None:
        self._network = network
        self._observer = observer_of(variant, options)
        self.number = self._observer.actions.number
        """The number of each action, its column in the scores."""

    def follow(self, game: Game) -> Tracker:
        """Return the game with what its seats know, kept up to date."""
        return Tracker(self._observer, game)

    def ranked(self, view: SeatView) -> list[tuple[float, Action]]:
        """Return the legal actions of a view with their probabilities, the likeliest first."""
        scores = self._network.scores(observation(view)[None], action_mask(view)[None])[0]
        found = np.array([scores[self.number[action]] for action in view.legal], np.float64)
        odds = np.exp(found - found.max())
        order = np.argsort(-odds, kind="stable").tolist()
        return [(float(odds[place] / odds.sum()), view.legal[place]) for place in order]

    def scores(self, games: Sequence[Tracker]) -> Array:
        """Return the scores of all actions for the seat to decide in each game, row by row."""
        _, observations, masks = arrays_of(self._observer, games)
        return self._network.scores(observations, masks)

    def choices(self, games: Sequence[Tracker]) -> list[Action]:
        """Return the best action in each game."""
        actions = self._observer.actions.actions
        return [actions[number] for number in self.scores(games).argmax(axis=1).tolist()]

    def play_out(self, games: Iterable[Game]) -> None:
        """Play each game to the end of its hand: every seat takes the network's best action."""
        live = [(self.follow(game), game.hand_number) for game in games]
        while live := [(each, hand) for each, hand in live if _moved_on(each, hand)]:
            followed = [each for each, _ in live]
            for each, action in zip(followed, self.choices(followed), strict=True):
                each.apply(action)


def _moved_on(followed: Tracker, hand: int) -> bool:
    """Make all decisions with one legal action; return whether there is another decision in the hand."""
    game = followed.game
    while game.actor is not None and game.hand_number == hand:
        legal = game.legal_actions()
        if len(legal) > 1:
            return True
        followed.apply(legal[0])
    return False
