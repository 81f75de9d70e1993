"""`sample_game` where cards are named unseen, given between partners and put away again (V2.5.1, V3.5.1, B3, E8, A17).

Toy variants with two cards a hand go through the same phases as the real ones, so that every deal, and every card that
may have been given or put away in it, can be tried by playing it through the engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from engine import Game, Sampler, SeatView
from engine.actions import Event
from engine.cards import SINGLE_JOKER, TWO_JOKERS, Pack, pack_of
from engine.ends import FirstTo
from engine.options import Options
from engine.packs import DealtPacks, PackSource, SeededPacks
from engine.phases.base import Phase
from engine.phases.joker_turned import AloneWithBenny, BennyTurned, JokerProposed
from engine.phases.lone import LoneDefender, LoneMaker
from engine.phases.partner_card import DiscardAnother, DiscardForGift, card_from_partner, lone_defender, lone_maker
from engine.phases.tricks import Tricks
from engine.phases.upcard import NameSuit, OrderUp, PickUp
from engine.rules import TWO_TEAMS_OF_TWO, Rules
from engine.scoring import Line, MakersTable

HOWS = ("", "alone")
DRAWS = 20
MOST = 400

World = tuple[object, ...]
"""Each seat's hand as it was dealt and as it is now, and what everybody gave, received and put away."""


def toy(name: str, pack: Pack, calls: tuple[Phase, ...], discard: type[DiscardForGift]) -> Rules:
    return Rules(
        name,
        Options({"max_hands": 1}),
        players=4,
        teams=TWO_TEAMS_OF_TWO,
        pack=pack,
        deal="hands 2, upcard",
        phases=(
            *calls,
            NameSuit(HOWS),
            LoneMaker(),
            *card_from_partner(lone_maker, discard),
            LoneDefender("always"),
            *card_from_partner(lone_defender, discard),
            Tricks(2),
        ),
        score=MakersTable({how: Line(2, 1, 2) for how in HOWS}, lone_defender=4),
        end=FirstTo(10),
    )


PROPOSED = (JokerProposed(), OrderUp(HOWS), PickUp())
BENNY = (BennyTurned(), OrderUp(HOWS), PickUp(), AloneWithBenny())
SINGLE_PACKS = ("another card is put away", "any card is put away")
DOUBLE_PACK = "double pack"
TOYS = {
    rules.variant: rules
    for rules in (
        toy(SINGLE_PACKS[0], pack_of(2, SINGLE_JOKER), PROPOSED, DiscardAnother),
        toy(SINGLE_PACKS[1], pack_of(2, SINGLE_JOKER), BENNY, DiscardForGift),
        toy(DOUBLE_PACK, pack_of(1, TWO_JOKERS, double=True), BENNY, DiscardForGift),
    )
}


class Page:
    """Stands in for a variant's page: the sampler asks only for its rules."""

    def __init__(self, name: str) -> None:
        self.name = name

    def rules(self, options: object) -> Rules:
        return TOYS[self.name]


def dealt_hands(game: Game) -> list[int]:
    return [sum(places(game.orders[-1])) for places in game.rules.plans[game.dealer].hands]


def world(game: Game) -> World:
    text = game.rules.pack.text
    notes = tuple((seat, what, text(cards), other) for seat, what, cards, other in game.notes)
    return tuple(map(text, dealt_hands(game))), tuple(map(text, game.hands)), notes


def layings(cards: tuple[int, ...], sizes: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """All ways to lay the cards on places of these sizes."""
    if not sizes:
        yield []
        return
    for first in combinations(cards, sizes[0]):
        rest = tuple(card for card in cards if card not in first)
        for others in layings(rest, sizes[1:]):
            yield [first, *others]


def deals(view: SeatView, rules: Rules) -> Iterator[tuple[int, ...]]:
    """Every pack, up to the order in a hand, that deals this seat what it saw."""
    pack = rules.pack
    plan = rules.plans[view.dealer]
    looked = view.memory and view.memory[0].what == "dealt"
    own = view.memory[0].cards if looked else ()
    seen = pack.set_of((view.upcard, *own))
    upcard = seen & pack.bits[view.upcard]
    upcard &= -upcard
    mine = tuple(card for card in pack.cards if card & seen & ~upcard)
    others = [seat for seat in rules.seats if not looked or seat != view.seat]
    unseen = tuple(card for card in pack.cards if not card & seen)
    for laid in layings(unseen, (2,) * len(others)):
        hands = dict(zip(others, laid, strict=True))
        hands.setdefault(view.seat, mine)
        order = [0] * pack.size
        assert plan.upcard is not None
        order[plan.upcard] = upcard
        for seat, cards in hands.items():
            for place, card in zip(plan.hands[seat](range(pack.size)), cards, strict=True):
                order[place] = card
        left = [card for card in pack.cards if card not in order]
        yield tuple(card or left.pop() for card in order)


def histories(game: Game, events: tuple[Event, ...]) -> Iterator[Game]:
    """The game after these events, for every card that may be behind those that hide one."""
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
    """Every world in which this seat sees this view, with the number of deals that come to it."""
    found: Counter[World] = Counter()
    later = SeededPacks(bytes(32), "", 0)
    for order in deals(view, rules):
        source: PackSource = DealtPacks(0, (order,), later)
        for game in histories(Game.start(rules, view.dealer, source), view.history):
            if game.view(view.seat) == view:
                found[world(game)] += 1
    return found


def chosen(rules: Rules, rng: Random) -> Iterator[tuple[Game, int]]:
    """Positions of random first hands, in which lone players and gifts are frequent."""
    while True:
        game = Game.start(rules, rng.randrange(4), SeededPacks(rng.randbytes(32), "", 0))
        while game.actor is not None:
            legal = game.legal_actions()
            liked = [action for action in legal if action.how or action.kind in ("ask", "alone", "defend")]
            game.apply(rng.choice(liked or legal) if rng.random() < 0.7 else rng.choice(legal))
            given = any(event.action.kind == "give" for event in game.log)
            if game.actor is not None and rng.random() < (0.5 if given else 0.1):
                yield game, rng.randrange(4)


def looked_at(name: str, positions: int) -> Iterator[tuple[SeatView, Counter[World]]]:
    """Views of random positions with all worlds that each leaves possible, where these are not too many."""
    rules, rng = TOYS[name], Random(5)
    gifts = tried = 0
    for game, seat in chosen(rules, rng):
        view = game.view(seat)
        worlds = possible(view, rules)
        assert world(game) in worlds, "the test's own list of worlds is wrong"
        if len(worlds) > MOST:
            continue
        yield view, worlds
        gifts += any(event.action.kind == "give" for event in view.history)
        tried += 1
        if tried >= positions:
            break
    assert gifts >= 3, "too few positions with a gift: the test has lost its point"


@pytest.mark.parametrize("name", SINGLE_PACKS)
def test_every_world_is_equally_likely_after_exchanges(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 3, part 4: no world is missing, none impossible, and each comes as often as deals lead to it."""
    monkeypatch.setattr("engine.sampling.rules_of", Page)
    rng = Random(6)
    for view, worlds in looked_at(name, 12):
        sampler = Sampler(view)
        seen = Counter(world(sampler.draw(rng)) for _ in range(DRAWS * len(worlds)))
        assert set(seen) <= set(worlds), f"impossible for {view}: {set(seen) - set(worlds)}"
        share = DRAWS * len(worlds) / worlds.total()
        chi_square = sum((seen[one] - share * deals) ** 2 / (share * deals) for one, deals in worlds.items())
        freedom = max(len(worlds) - 1, 1)
        assert abs(chi_square - freedom) <= 6 * (2 * freedom) ** 0.5, (
            f"chi-square {chi_square:.0f} with {freedom} degrees of freedom: not uniform for {view}"
        )


def test_every_world_and_no_other_is_drawn_from_a_double_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    """A17: the sampler counts copies as two cards, here they are alike; so what is held is which worlds there are."""
    monkeypatch.setattr("engine.sampling.rules_of", Page)
    rng = Random(7)
    for view, worlds in looked_at(DOUBLE_PACK, 6):
        sampler = Sampler(view)
        seen = {world(sampler.draw(rng)) for _ in range(2 * DRAWS * len(worlds))}
        assert seen == set(worlds), f"impossible: {seen - set(worlds)}, never drawn: {set(worlds) - seen}, for {view}"
