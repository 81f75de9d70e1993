"""Games that a seat cannot distinguish from the real one, each equally likely.

Only certain knowledge is used: the seat's own cards and memory, cards played, the upcard and who took it, suits that a
seat could not follow, and cards that moved. Nothing is inferred from how a player bids or plays. A world assigns each
card that the seat has not seen to whoever has it or put it away. `sample_game` draws every possible world with the same
probability. The two copies of a card in a double pack count as two cards (A17).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import accumulate
from math import factorial, prod
from random import Random

from bowerbird.engine.cards.shuffle import SEED_BYTES
from bowerbird.engine.cards.sources import DealtPacks, SeededPacks
from bowerbird.engine.errors import EngineError
from bowerbird.engine.game import Game, game_of
from bowerbird.engine.sampling.counting import Filling, Group
from bowerbird.engine.sampling.shadow import Shadow, shadows
from bowerbird.engine.variants import rules_of
from bowerbird.engine.views import SeatView


class _Case:
    """A shadow, prepared for replacing its symbols with cards."""

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
        """Return where `symbol` is and which notes contain it; worlds do not distinguish symbols in the same place."""
        game = self.game
        return (
            tuple([seat for seat, hand in enumerate(game.hands) if hand & symbol]),
            tuple([place for place, (_, _, cards, _) in enumerate(game.notes) if cards & symbol]),
            tuple([name for name, pile in game.piles.items() if symbol in pile]),
        )

    def draw(self, rng: Random) -> Game:
        """Return one world of this case as a game; all are equally likely."""
        free, tight = self.filling.draw(rng)
        cards = dict(zip(self.free, free, strict=True))
        for group, drawn in tight.items():
            cards.update(zip(self.groups[group], drawn, strict=True))
        for mix in self.mixes:
            mixed = [card for new in mix.new if not (card := cards.get(new, new)) & mix.known]
            rng.shuffle(mixed)
            cards.update(zip(mix.old, mixed, strict=True))
        state = self.game.copy()
        state.substitute(cards)
        later = SeededPacks(rng.randbytes(SEED_BYTES), "", 0)
        state.source = DealtPacks(state.hand_number, state.orders, later)
        return game_of(state)


class Sampler:
    """A source of games in which the seat has the same view. Creating it takes time; drawing games from it is fast.

    >>> from random import Random
    >>> view = new_game("euchre", first_dealer=3, seed=bytes(32)).view(0)
    >>> sampler = Sampler(view)
    >>> sampler
    <Sampler of games that look like this to seat 0 of euchre>
    >>> games = [sampler.draw(Random(number)) for number in range(20)]
    >>> {game.view(0) == view for game in games}, len({game.hands[1] for game in games}) > 1
    ({True}, True)

    Raises EngineError if the game of the view is over, or if no game can look like this view.
    """

    def __init__(self, view: SeatView) -> None:
        self._looks = f"look like this to seat {view.seat} of {view.variant}"
        rules = rules_of(view.variant).rules(view.options)
        cases = [_Case(shadow) for shadow in shadows(view, rules)]
        self._cases = [case for case in cases if case.worlds]
        if not self._cases:
            raise EngineError(f"no game of {view.variant} can look like this to seat {view.seat}")
        share = [case.worlds / sum(case.worlds for case in self._cases) for case in self._cases]
        whole = prod(part.denominator for part in share)
        self._cumulative = list(accumulate(int(part * whole) for part in share))

    def __repr__(self) -> str:
        return f"<Sampler of games that {self._looks}>"

    def draw(self, rng: Random) -> Game:
        """Return a game with the same view, every world equally likely; `rng` also determines later packs."""
        if len(self._cases) == 1:
            return self._cases[0].draw(rng)
        pick = rng.randrange(self._cumulative[-1])
        return next(c for c, below in zip(self._cases, self._cumulative, strict=True) if pick < below).draw(rng)


def sample_game(view: SeatView, rng: Random) -> Game:
    """Return a game that the seat of this view cannot distinguish from the real one, every world equally likely.

    >>> from random import Random
    >>> game = new_game("two-handed", first_dealer=1, seed=bytes(32))
    >>> other = sample_game(game.view(0), Random(1))
    >>> other.view(0) == game.view(0), other.view(1) == game.view(1)
    (True, False)

    The game's view of `view.seat` equals `view`. `rng` also determines the packs of later hands. `results` is empty,
    because earlier hands are unknown. To draw many games from one view, use `Sampler`.

    Raises:
        EngineError: the game is over, or no game can look like this view.
    """
    return Sampler(view).draw(rng)
