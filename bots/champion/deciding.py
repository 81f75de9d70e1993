"""Networks that decide in many games at once and evaluate them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from bowerbird.bots.champion.network import Array, Masks, Networks, networks_of
from bowerbird.bots.champion.renaming import Renaming
from bowerbird.bots.search.policy import RolloutPolicy
from bowerbird.engine import Action, Game, OptionValue, SeatView
from bowerbird.envs import action_mask, observation
from bowerbird.envs.tracking import Tracker, arrays_of, hands_of_others, observer_of


class Decider:
    """The networks for games of one variant with one set of options."""

    def __init__(self, networks: Networks, variant: str, options: Mapping[str, OptionValue]) -> None:
        self._networks = networks
        self._observer = observer_of(variant, options)
        self._renaming = Renaming(self._observer)
        self.number = self._observer.actions.number
        """The number of each action, its column in the scores."""
        self.rollout_policy = RolloutPolicy(variant, options)
        """The player without networks that plays hands out (`bowerbird.bots.search.rollout`)."""

    def follow(self, game: Game) -> Tracker:
        """Return the game with its seats' knowledge, which is kept up to date."""
        return Tracker(self._observer, game)

    def ranked(self, view: SeatView) -> list[tuple[float, Action]]:
        """Return the legal actions of a view with their probabilities, the likeliest first."""
        scores = self._scores(observation(view)[None], action_mask(view)[None])[0]
        found = np.array([scores[self.number[action]] for action in view.legal], np.float64)
        odds = np.exp(found - found.max())
        order = np.argsort(-odds, kind="stable").tolist()
        return [(float(odds[place] / odds.sum()), view.legal[place]) for place in order]

    def scores(self, games: Sequence[Tracker]) -> Array:
        """Return the scores of all actions for the seat to decide in each game, row by row."""
        _, observations, masks = arrays_of(self._observer, games)
        return self._scores(observations, masks)

    def _scores(self, observations: Array, masks: Masks) -> Array:
        renaming, ways = self._renaming, self._renaming.ways(observations)
        renamed = self._networks.scores(renaming.observations(observations, ways), renaming.masks(masks, ways))
        return renaming.scores(renamed, ways)

    def choices(self, games: Sequence[Tracker]) -> list[Action]:
        """Return the best action in each game."""
        actions = self._observer.actions.actions
        return [actions[number] for number in self.scores(games).argmax(axis=1).tolist()]

    def margins(self, games: Sequence[Tracker]) -> Array:
        """Return the expected result of the hand by game and seat, with all hands open: points above the others."""
        actors, observations, _ = arrays_of(self._observer, games)
        ways = self._renaming.ways(observations)
        hands = self._renaming.hands(hands_of_others(self._observer, games), ways)
        found = self._networks.margins(self._renaming.observations(observations, ways), hands)
        return np.take_along_axis(found, (np.arange(found.shape[1]) - actors[:, None]) % found.shape[1], axis=1)

    def play_on(self, games: Sequence[Tracker], hand: int, is_far: Callable[[int, Game], bool]) -> dict[int, Tracker]:
        """Play each game until `is_far` returns True or the hand with number `hand` is over, which it may already be.

        `is_far` gets the place in `games` and the game. Every seat chooses the network's best action. Return the games
        whose hand continues, by their place in `games`. Each is at a decision with a choice.
        """
        found: dict[int, Tracker] = {}
        live = dict(enumerate(games))
        while True:
            live = {place: each for place, each in live.items() if _moved_on(each, hand)}
            for place, each in list(live.items()):
                if is_far(place, each.game):
                    found[place] = each
                    del live[place]
            if not live:
                return found
            followed = list(live.values())
            for each, action in zip(followed, self.choices(followed), strict=True):
                each.apply(action)


def decider_of(variant: str, options: Mapping[str, OptionValue]) -> Decider | None:
    """Return the decider of a variant under these options, or None if no networks fit."""
    networks = networks_of(variant, options)
    return None if networks is None else Decider(networks, variant, options)


def _moved_on(followed: Tracker, hand: int) -> bool:
    """Make all decisions with one legal action, and return whether there is another decision in the hand."""
    game = followed.game
    while game.actor is not None and game.hand_number == hand:
        legal = game.legal_actions()
        if len(legal) > 1:
            return True
        followed.apply(legal[0])
    return False
