"""Games in play for searches: numpy arrays of what each seat knows, updated after each action.

>>> from bowerbird.engine import new_game
>>> observer = observer_of("euchre")
>>> tracker = Tracker(observer, new_game("euchre", seed=bytes(32)))
>>> actors, observations, masks = arrays_of(observer, [tracker])
>>> tracker.apply(tracker.game.legal_actions()[0])
False

A search samples games that agree with its view (`bowerbird.engine.Sampler`), tracks each one, and lets a network decide
in all of them at once. environments.md describes observations and masks.
"""

from bowerbird.harness.features.observing import Observer, observer_of
from bowerbird.harness.features.tracking import Tracker, arrays_of, hands_of_others

__all__ = ["Observer", "Tracker", "arrays_of", "hands_of_others", "observer_of"]
