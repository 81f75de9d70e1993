"""`sample_game` in the games for two and three: second hands, dummies, covered cards, kitty, a second shuffle.

Toy variants with a few cards go through the phases of the real ones. Every deal, and every card that may have been put
away in it, can be tried by playing it through the engine. The showdown is tried on the real game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations
from random import Random

import pytest

from bowerbird.engine import Game, IllegalAction, Sampler, SeatView, new_game, sample_game
from bowerbird.engine.cards.pack import SINGLE_JOKER, Pack, pack_of
from bowerbird.engine.cards.sources import DealtPacks, PackSource, SeededPacks
from bowerbird.engine.ends import FirstTo
from bowerbird.engine.game import state_of
from bowerbird.engine.options import Options
from bowerbird.engine.phases.auction import NameTrump
from bowerbird.engine.phases.base import Phase
from bowerbird.engine.phases.discards import KITTY, DiscardDown, FlipKitty, LeftOfNamerReceives
from bowerbird.engine.phases.extra_hands import SwapHands, TakeDummy
from bowerbird.engine.phases.kings import KingTricks
from bowerbird.engine.phases.straw_men import LayOut, PatientTableTricks, TableTricks, ToAndFro
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.phases.upcard import NameSuit, OrderUp, PickUp
from bowerbird.engine.rules import Recall, Rules
from bowerbird.engine.variants.king_cut_throat import KittyRecall
from bowerbird.engine.variants.straw_men import OpenColumns
from tests.support.engine.every_world import histories
from tests.support.engine.king_hands import AWAY, KEPT, OUTSIDE, SHOWDOWN, before_showdown, flipped, tricks
from tests.support.engine.scenario import play, written_pack

DRAWS = 20
MOST = 400

World = tuple[object, ...]
"""The deal, the hands, the discards, and each seat's private knowledge."""

MAKING_TRUMP = (OrderUp(), PickUp(), NameSuit())


NINE = pack_of(2, SINGLE_JOKER)
EIGHT = pack_of(2)
TWELVE = pack_of(3)


def toy(name: str, pack: Pack, deal: str, phases: tuple[Phase, ...], recall: Recall | None = None) -> Rules:
    return Rules(
        name,
        Options({"max_hands": 1}),
        players=2,
        pack=pack,
        deal=deal,
        each=("seconds", "dummies", "covered", "laid"),
        piles=("kitty",),
        phases=phases,
        score=lambda h: tuple(h.tricks_won),
        end=FirstTo(100),
        recall=recall or Recall(),
    )


STRAW_MEN = "covered 1 x 2, laid 1 x 2, hands 1 x 2"
CALLING = (LayOut(), ToAndFro(5, 6, thrown_in=True), NameTrump(no_trump=True))
TOYS = {
    rules.variant: rules
    for rules in (
        toy("second hands", NINE, "hands seconds 2, upcard", (SwapHands(), *MAKING_TRUMP, Tricks(2))),
        toy(
            "dummy of one", EIGHT, "hands 2, dummies 1, upcard", (*MAKING_TRUMP, TakeDummy(), DiscardDown(2), Tricks(2))
        ),
        toy(
            "dummy of two", NINE, "hands 2, dummies 2, upcard", (*MAKING_TRUMP, TakeDummy(), DiscardDown(2), Tricks(2))
        ),
        toy("straw men", TWELVE, STRAW_MEN, (*CALLING, TableTricks(6)), OpenColumns()),
        toy("patient straw men", TWELVE, STRAW_MEN, (*CALLING, PatientTableTricks(6)), OpenColumns()),
        toy(
            "kitty",
            NINE,
            "hands 3, kitty 3",
            (
                DiscardDown(2),
                FlipKitty(),
                OrderUp(),
                NameSuit(),
                LeftOfNamerReceives(),
                DiscardDown(2),
                KingTricks(2, target=99),
            ),
            KittyRecall(1),
        ),
    )
}


class Page:
    """A stand-in for a variant's page: the sampler asks only for its rules."""

    def __init__(self, name: str) -> None:
        self.name = name

    def rules(self, options: object) -> Rules:
        return TOYS[self.name]


def heaps(rules: Rules, dealer: int) -> list[tuple[int, ...]]:
    """Return groups of places in the pack; the order within a group does not matter."""
    plan = rules.plans[dealer]
    places = range(rules.pack.size)
    found = [hand(places) for hand in plan.hands]
    for name, pile in plan.piles:
        found.extend([(place,) for place in pile] if name.startswith(("covered", "laid")) or name == KITTY else [pile])
    used = {place for heap in found for place in heap} | {plan.upcard}
    return [*found, tuple(place for place in places if place not in used)]


def world(game: Game) -> World:
    text = game.rules.pack.text
    order = state_of(game).orders[-1]
    notes = tuple((seat, what, text(cards), other) for seat, what, cards, other in state_of(game).notes)
    dealt = tuple(text(sum(order[place] for place in heap)) for heap in heaps(game.rules, game.dealer))
    return dealt, tuple(map(text, game.hands)), text(state_of(game).dead), notes


def seen(game: Game, seat: int) -> set[int]:
    """Return the places of the pack that this seat saw when they were dealt."""
    plan = game.rules.plans[game.dealer]
    places = set(plan.hands[seat](range(game.rules.pack.size)))
    piles = dict(plan.piles)
    for name, pile in piles.items():
        if name.startswith("laid"):
            places.update(pile)
    if game.upcard:
        places.add(piles[KITTY][0] if plan.upcard is None else plan.upcard)
    return places


def deals(game: Game, seat: int) -> Iterator[tuple[int, ...]]:
    """Yield every pack, up to the order in a heap, that deals this seat what it saw."""
    order, known = state_of(game).orders[-1], seen(game, seat)
    unseen = [card for place, card in enumerate(order) if place not in known]
    laid = {place: order[place] for place in known}
    free = [tuple(place for place in heap if place not in known) for heap in heaps(game.rules, game.dealer)]
    for places in _layings(tuple(unseen), [heap for heap in free if heap]):
        yield tuple(card for _, card in sorted({**laid, **places}.items()))


def _layings(cards: tuple[int, ...], free: list[tuple[int, ...]]) -> Iterator[dict[int, int]]:
    if not free:
        yield {}
        return
    for first in combinations(cards, len(free[0])):
        rest = tuple(card for card in cards if card not in first)
        for others in _layings(rest, free[1:]):
            yield {**dict(zip(free[0], first, strict=True)), **others}


def possible(game: Game, seat: int) -> set[World]:
    """Return every world in which this seat has its present view."""
    view = game.view(seat)
    later = SeededPacks(bytes(32), "", 0)
    found = set()
    for order in deals(game, seat):
        source: PackSource = DealtPacks(0, (*state_of(game).orders[:-1], order), later)
        for other in histories(Game.start(game.rules, game.dealer, source), view.history):
            if other.view(seat) == view:
                found.add(world(other))
    return found


def chosen(rules: Rules, rng: Random) -> Iterator[tuple[Game, int]]:
    """Yield positions of random first hands, late rather than early ones, where trump is made."""
    while True:
        game = Game.start(rules, rng.randrange(2), SeededPacks(rng.randbytes(32), "", 0))
        if game.upcard and not rules.pack.suit_of(game.upcard):
            continue  # these rounds do not handle a turned joker
        while game.actor is not None:
            legal = game.legal_actions()
            liked = [action for action in legal if action.kind not in ("pass", "keep")]
            game.apply(rng.choice(liked or legal) if rng.random() < 0.6 else rng.choice(legal))
            if game.actor is not None and game.trump and rng.random() < 0.3:
                yield game, rng.randrange(2)


@pytest.mark.parametrize("name", list(TOYS))
def test_every_world_is_equally_likely(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No world is missing or impossible, and each comes as often as the others."""
    monkeypatch.setattr("bowerbird.engine.sampling.sampler.rules_of", Page)
    rng = Random(8)
    tried = 0
    for game, seat in chosen(TOYS[name], rng):
        worlds = possible(game, seat)
        assert world(game) in worlds, "the test's own list of worlds is wrong"
        if len(worlds) > MOST:
            continue
        sampler = Sampler(game.view(seat))
        drawn = Counter(world(sampler.draw(rng)) for _ in range(DRAWS * len(worlds)))
        assert set(drawn) <= worlds, f"impossible: {set(drawn) - worlds}"
        chi_square = sum((drawn[one] - DRAWS) ** 2 / DRAWS for one in worlds)
        freedom = max(len(worlds) - 1, 1)
        assert abs(chi_square - freedom) <= 6 * (2 * freedom) ** 0.5, f"{chi_square:.0f}, {freedom} degrees of freedom"
        tried += 1
        if tried >= 8:
            break


def late_showdown() -> Game:
    """Return a game after three tricks of the showdown; two cards are left in each of the two hands."""
    return tricks(play(before_showdown(), "0 discard 9c, 1 discard Td"), SHOWDOWN[:3])


def later_cards(game: Game) -> tuple[tuple[str, ...], ...]:
    """Return the hidden cards of the showdown: both hands and both discards."""
    text = game.rules.pack.text
    mine = [text(cards) for _, what, cards, _ in state_of(game).notes[-2:] if what == "discarded"]
    return (*(text(game.hands[seat]) for seat in (0, 1)), *mine)


def showdowns(view: SeatView, real: Game) -> set[tuple[tuple[str, ...], ...]]:
    """Return every deal of the outside, with both discards, in which this seat has its present view."""
    shown = {0: ["Ks", "Ad", "Kc"], 1: ["7s", "8s", "Kh"]}
    unseen = [code for code in OUTSIDE.split() if code not in (*shown[0], *shown[1])]
    made = [str(event.action) for event in view.history if event.action.kind == "play"][21:]
    found = set()
    for cards in permutations(unseen):
        if list(cards[:2]) != sorted(cards[:2]) or list(cards[2:4]) != sorted(cards[2:4]):
            continue
        outside = " ".join([*shown[0], *cards[:2], cards[4], *shown[1], *cards[2:4], cards[5]])
        try:
            game = play(before_showdown(shuffles=(outside,)), f"0 discard {cards[4]}, 1 discard {cards[5]}")
            for token in made:
                game.apply(token)
        except IllegalAction:
            continue
        if game.view(view.seat) == view:
            found.add(later_cards(game))
    assert later_cards(real) in found, "the test's own list of showdowns is wrong"
    return found


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_every_showdown_is_equally_likely(seat: int) -> None:
    """V11.5.8: to the two, and to the mediator who has seen neither hand."""
    game = late_showdown()
    view = game.view(seat)
    worlds = showdowns(view, game)
    sampler, rng = Sampler(view), Random(9)
    drawn = Counter(later_cards(sampler.draw(rng)) for _ in range(40 * len(worlds)))
    assert set(drawn) <= worlds
    chi_square = sum((drawn[one] - 40) ** 2 / 40 for one in worlds)
    freedom = max(len(worlds) - 1, 1)
    assert abs(chi_square - freedom) <= 6 * (2 * freedom) ** 0.5


def test_first_discards_stay_open_in_a_showdown() -> None:
    """V11.5.8: nobody learns who put which card outside. Each unseen card may have come from each place."""
    game = late_showdown()
    sampler, rng = Sampler(game.view(2)), Random(10)
    draws = 2000
    outside = set(OUTSIDE.split()) - set(AWAY[2].split())
    found = {0: Counter[str](), 1: Counter[str]()}
    for _ in range(draws):
        sample = sampler.draw(rng)
        assert sample.view(2) == game.view(2)
        for seat, counter in found.items():
            counter.update(note.cards[0] for note in sample.view(seat).memory[1:4])
    for counter in found.values():
        assert set(counter) == outside
        for card, times in counter.items():
            assert abs(times / draws - 3 / len(outside)) < 0.055, f"{card}: {times} of {draws}"


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_redeal_is_remembered_and_plays_on(seat: int) -> None:
    """V11.5.2: discards before it no longer matter."""
    again = written_pack("king-cut-throat", 2, {who: f"{KEPT[who]} {AWAY[who]}" for who in KEPT}, piles={"kitty": "9s"})
    game = flipped({**KEPT, 0: "9s Js Jc 7h 7d 7c 8d"}, AWAY, "X1 Kc 9c", shuffles=(again,))
    for token in ("discard As", "discard Ks"):
        game.apply(token)
    for k in range(10):
        sample = sample_game(game.view(seat), Random(k))
        assert sample.view(seat) == game.view(seat)
        assert len(sample.history) == 11


def test_points_of_kings_are_not_booked_twice() -> None:
    """V11.8: a sample begins with the scores before the hand."""
    game = tricks(play(before_showdown(scores=(2, 3, 4)), "0 discard 9c, 1 discard Td"), SHOWDOWN[:3])
    for seat in range(3):
        assert sample_game(game.view(seat), Random(1)).scores == game.scores == (3, 4, 4)


def test_a_second_hand_never_swapped_stays_unknown() -> None:
    """V6.5.1: both second hands and the talon share the unseen cards, for either player."""
    game = play(new_game("two-handed-extra-hands", seed=bytes(32), first_dealer=1), "0 keep, 1 keep")
    own = set(game.view(0).hand) | {game.view(0).upcard}
    piles = Counter[str]()
    sampler, rng = Sampler(game.view(0)), Random(3)
    for _ in range(300):
        piles.update(game.rules.pack.code[card] for card in sampler.draw(rng).piles["seconds 0"])
    assert set(piles) == set(game.rules.pack.codes) - own
