"""All worlds that a seat's view leaves possible, found by dealing and playing; for tests of `sample_game`.

Works for toy variants only. Two cards a hand go through the same phases as the real variants, so that every deal can be
tried, and every card that may have been put away, given or taken in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations
from random import Random

from bowerbird.engine import Game, Sampler, SeatView
from bowerbird.engine.actions import Event
from bowerbird.engine.cards.sources import DealtPacks, SeededPacks
from bowerbird.engine.game import state_of
from bowerbird.engine.rules import Rules

World = tuple[object, ...]
"""Each seat's hand as dealt and as it is now, what every seat learnt in private, and the piles."""


def world(game: Game) -> World:
    text = game.rules.pack.text
    dealt = tuple(text(sum(places(state_of(game).orders[-1]))) for places in game.rules.plans[game.dealer].hands)
    notes = tuple((seat, what, text(cards), other) for seat, what, cards, other in state_of(game).notes)
    piles = tuple((name, text(sum(pile))) for name, pile in game.piles.items())
    return dealt, tuple(map(text, game.hands)), notes, piles


def layings(cards: tuple[int, ...], hands: list[int], piles: list[int]) -> Iterator[list[tuple[int, ...]]]:
    """Yield all ways to lay the cards on hands of these sizes, and then in any order on piles of these sizes."""
    if not hands and not piles:
        yield []
        return
    ways = combinations(cards, hands[0]) if hands else permutations(cards, piles[0])
    for first in ways:
        rest = tuple(card for card in cards if card not in first)
        for others in layings(rest, hands[1:], piles if hands else piles[1:]):
            yield [first, *others]


def deals(view: SeatView, rules: Rules) -> Iterator[tuple[int, ...]]:
    """Yield every pack, up to the order in a hand, that deals this seat what it saw."""
    pack = rules.pack
    plan = rules.plans[view.dealer]
    looked = view.memory and view.memory[0].what == "dealt"
    own = view.memory[0].cards if looked else ()
    upcard = pack.bits[view.upcard] & -pack.bits[view.upcard] if view.upcard else 0
    seen = pack.set_of((*filter(None, (view.upcard,)), *own))
    mine = tuple(card for card in pack.cards if card & seen & ~upcard)
    places = {seat: hand(range(pack.size)) for seat, hand in enumerate(plan.hands)}
    others = [seat for seat in rules.seats if not looked or seat != view.seat]
    unseen = tuple(card for card in pack.cards if not card & seen)
    sizes = [len(places[seat]) for seat in others]
    for laid in layings(unseen, sizes, [len(pile) for _, pile in plan.piles]):
        order = dict(zip(places[view.seat], mine, strict=True)) if looked else {}
        for where, cards in zip(
            [*(places[seat] for seat in others), *(pile for _, pile in plan.piles)], laid, strict=True
        ):
            order.update(zip(where, cards, strict=True))
        if plan.upcard is not None:
            order[plan.upcard] = upcard
        left = [card for card in pack.cards if card not in order.values()]
        yield tuple(order.get(place) or left.pop() for place in range(pack.size))


def histories(game: Game, events: tuple[Event, ...]) -> Iterator[Game]:
    """Yield the game after these events, for every card that may be behind an event that hides one."""
    if not events:
        yield game
        return
    seat, public = events[0]
    if game.actor == seat:
        for action in game.legal_actions():
            if action.public is public:
                after = game.copy()
                after.apply(action)
                yield from histories(after, events[1:])


def possible(view: SeatView, rules: Rules) -> Counter[World]:
    """Return every world in which this seat sees this view, with the number of deals that lead to it."""
    found: Counter[World] = Counter()
    later = SeededPacks(bytes(32), "", 0)
    for order in deals(view, rules):
        dealt = Game.start(rules, view.dealer, DealtPacks(0, (order,), later))
        for game in histories(dealt, view.history):
            if game.view(view.seat) == view:
                found[world(game)] += 1
    return found


def assert_each_as_often_as_deals_lead_to_it(view: SeatView, worlds: Counter[World], rng: Random, draws: int) -> None:
    """Assert that no world is missing or impossible, and that frequencies fit by chi-square.

    `draws` is the number of samples for each world.
    """
    sampler = Sampler(view)
    seen = Counter(world(sampler.draw(rng)) for _ in range(draws * len(worlds)))
    assert set(seen) <= set(worlds), f"impossible for {view}: {set(seen) - set(worlds)}"
    share = draws * len(worlds) / worlds.total()
    chi_square = sum((seen[one] - share * deals) ** 2 / (share * deals) for one, deals in worlds.items())
    freedom = max(len(worlds) - 1, 1)
    assert abs(chi_square - freedom) <= 6 * (2 * freedom) ** 0.5, (
        f"chi-square {chi_square:.0f} with {freedom} degrees of freedom: not uniform for {view}"
    )
