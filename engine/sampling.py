"""Games that a seat cannot tell from the real one, each equally likely.

What counts is hard knowledge only: own cards and memory, cards played, the upcard and who took it, suits that a seat
could not follow, cards that moved. Nothing is inferred from how somebody bid or played. A world is who holds, and who
put away, which of the cards that the seat has not seen; `sample_game` draws every possible world with the same
probability. The two copies of a card in a double pack are two cards there (A17).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import accumulate
from math import factorial, prod
from random import Random

from engine.counting import Filling, Group
from engine.errors import EngineError
from engine.game import Game
from engine.packs import DealtPacks, SeededPacks
from engine.shadow import Shadow, shadows
from engine.shuffle import SEED_BYTES
from engine.variants import rules_of
from engine.views import SeatView


class _Case:
    """One shadow, ready to have its symbols replaced by cards."""

    def __init__(self, shadow: Shadow) -> None:
        game = self.game = shadow.game
        pack = game.rules.pack
        self.mixes = shadow.mixes[::-1]
        symbols = shadow.live()
        by_demand: dict[int, list[int]] = {}
        for symbol in symbols:
            allowed = shadow.allowed.get(symbol, pack.whole) & shadow.unbound
            by_demand.setdefault(allowed, []).append(symbol)
        self.groups = list(by_demand.values())
        unseen = [card for card in pack.cards if card & shadow.unbound]
        self.filling = Filling([Group(len(group), allowed) for allowed, group in by_demand.items()], unseen)
        self.free = [symbol for k in self.filling.free for symbol in self.groups[k]]
        self.worlds = Fraction(
            self.filling.ways * prod(mix.ways for mix in self.mixes),
            prod(map(factorial, Counter(map(self._place, symbols)).values())),
        )

    def _place(self, symbol: int) -> tuple[object, ...]:
        """Where a symbol lies now and what became of it: symbols in one place are not told apart in a world."""
        game = self.game
        return (
            tuple([seat for seat, hand in enumerate(game.hands) if hand & symbol]),
            tuple([place for place, (_, _, cards, _) in enumerate(game.notes) if cards & symbol]),
            tuple([name for name, pile in game.piles.items() if symbol in pile]),
        )

    def draw(self, rng: Random) -> Game:
        """One of the worlds of this case, each equally likely."""
        free, tight = self.filling.draw(rng)
        cards = dict(zip(self.free, free, strict=True))
        for group, drawn in tight.items():
            cards.update(zip(self.groups[group], drawn, strict=True))
        for mix in self.mixes:
            mixed = [card for new in mix.new if not (card := cards.get(new, new)) & mix.known]
            rng.shuffle(mixed)
            cards.update(zip(mix.old, mixed, strict=True))
        game = self.game.copy()
        game.substitute(cards)
        later = SeededPacks(rng.randbytes(SEED_BYTES), "", 0)
        game.source = DealtPacks(game.hand_number, game.orders, later)
        return game


class Sampler:
    """All games that look like one view to its seat. Made once for a view, it draws many games quickly.

    Raises EngineError when the game of the view is over, or no game can look like it.
    """

    def __init__(self, view: SeatView) -> None:
        rules = rules_of(view.variant).rules(view.options)
        cases = [_Case(shadow) for shadow in shadows(view, rules)]
        self._cases = [case for case in cases if case.worlds]
        if not self._cases:
            raise EngineError(f"no game of {view.variant} can look like this to seat {view.seat}")
        share = [case.worlds / sum(case.worlds for case in self._cases) for case in self._cases]
        whole = prod(part.denominator for part in share)
        self._cumulative = list(accumulate(int(part * whole) for part in share))

    def draw(self, rng: Random) -> Game:
        """A game of the same view, every world equally likely; packs of later hands are drawn anew from `rng`."""
        if len(self._cases) == 1:
            return self._cases[0].draw(rng)
        pick = rng.randrange(self._cumulative[-1])
        return next(c for c, below in zip(self._cases, self._cumulative, strict=True) if pick < below).draw(rng)


def sample_game(view: SeatView, rng: Random) -> Game:
    """A game that the seat of this view cannot tell from the real one, every world equally likely.

    `game.view(view.seat)` equals the view. Packs of later hands are drawn anew from `rng`; `results` of earlier hands
    are not known and empty. For many games of one view use `Sampler`.

    Raises:
        EngineError: the game is over, or no game can look like this view.
    """
    return Sampler(view).draw(rng)
