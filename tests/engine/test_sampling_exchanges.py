"""`sample_game` after cards are named unseen, given to partners and put away again (V2.5.1, V3.5.1, B3, E8, A17).

Toy variants with two cards a hand; every deal of them is tried (`every_world`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from bowerbird.engine import Game, Sampler, SeatView
from bowerbird.engine.cards.pack import SINGLE_JOKER, TWO_JOKERS, Pack, pack_of
from bowerbird.engine.cards.sources import SeededPacks
from bowerbird.engine.ends import FirstTo
from bowerbird.engine.options import Options
from bowerbird.engine.phases.base import Phase
from bowerbird.engine.phases.joker_turned import AloneWithBenny, BennyTurned, JokerProposed
from bowerbird.engine.phases.lone import LoneDefender, LoneMaker
from bowerbird.engine.phases.partner_card import (
    DiscardAnother,
    DiscardForGift,
    card_from_partner,
    lone_defender,
    lone_maker,
)
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.phases.upcard import NameSuit, OrderUp, PickUp
from bowerbird.engine.rules import TWO_TEAMS_OF_TWO, Rules
from bowerbird.engine.scoring import HandPoints, MakersTable
from tests.support.engine.every_world import World, assert_each_as_often_as_deals_lead_to_it, possible, world

HOWS = ("", "alone")
DRAWS = 20
MOST = 400


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
        score=MakersTable({how: HandPoints(2, 1, 2) for how in HOWS}, lone_defender=4),
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
    """A stand-in for a variant's page: the sampler asks only for its rules."""

    def __init__(self, name: str) -> None:
        self.name = name

    def rules(self, options: object) -> Rules:
        return TOYS[self.name]


def chosen(rules: Rules, rng: Random) -> Iterator[tuple[Game, int]]:
    """Yield positions of random first hands with frequent lone players and gifts."""
    while True:
        game = Game.start(rules, rng.randrange(4), SeededPacks(rng.randbytes(32), "", 0))
        while game.actor is not None:
            legal = game.legal_actions()
            liked = [action for action in legal if action.how or action.kind in ("ask", "alone", "defend")]
            game.apply(rng.choice(liked or legal) if rng.random() < 0.7 else rng.choice(legal))
            given = any(event.action.kind == "give" for event in game.history)
            if game.actor is not None and rng.random() < (0.5 if given else 0.1):
                yield game, rng.randrange(4)


def looked_at(name: str, positions: int) -> Iterator[tuple[SeatView, Counter[World]]]:
    """Yield views of random positions with all worlds that each leaves possible, if they are not too many."""
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
    """No world is missing or impossible, and each is as frequent as the deals that lead to it."""
    monkeypatch.setattr("bowerbird.engine.sampling.sampler.rules_of", Page)
    rng = Random(6)
    for view, worlds in looked_at(name, 12):
        assert_each_as_often_as_deals_lead_to_it(view, worlds, rng, DRAWS)


def test_every_world_and_no_other_is_drawn_from_a_double_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    """A17: the sampler counts copies as two cards, here they are alike. So only the set of worlds is compared."""
    monkeypatch.setattr("bowerbird.engine.sampling.sampler.rules_of", Page)
    rng = Random(7)
    for view, worlds in looked_at(DOUBLE_PACK, 6):
        sampler = Sampler(view)
        seen = {world(sampler.draw(rng)) for _ in range(2 * DRAWS * len(worlds))}
        assert seen == set(worlds), f"impossible: {seen - set(worlds)}, never drawn: {set(worlds) - seen}, for {view}"
