"""`sample_game` after the exchanges of the auction games: widow, stock, the maker's upcard (V15 to V18, V21, V23)."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from bowerbird.engine import Game
from bowerbird.engine.cards.pack import SINGLE_JOKER, Pack, pack_of
from bowerbird.engine.cards.sources import SeededPacks
from bowerbird.engine.ends import FirstTo
from bowerbird.engine.game import state_of
from bowerbird.engine.options import Options
from bowerbird.engine.phases.auction import GoingRoundAuction, JokerBids, NameTrump, OneRoundAuction
from bowerbird.engine.phases.base import Phase
from bowerbird.engine.phases.exchange import DiscardForUpcard, MayTakeUpcard, SwapForWidow, TakeWidow, stock_exchange
from bowerbird.engine.phases.staying import Staying
from bowerbird.engine.phases.suit_auction import Bid, ChoosePartners, SuitAuction, WidowForMaker
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.phases.upcard import NoTrumpHand
from bowerbird.engine.rules import Recall, Rules
from bowerbird.engine.state import State
from bowerbird.engine.variants.hasenpfeffer import JOKER, JokerShown
from tests.support.engine.every_world import assert_each_as_often_as_deals_lead_to_it, possible, world

DRAWS = 12
MOST = 1200
POSITIONS = 28
ACES_AND_KINGS = pack_of(2)
BIDS = {1: Bid(tricks=1, partners=0, widow=True)}


def no_points(h: State) -> tuple[int, ...]:
    return (0,) * h.rules.players


def toy(
    name: str, players: int, deal: str, *phases: Phase, pack: Pack = ACES_AND_KINGS, recall: Recall | None = None
) -> Rules:
    """Return rules with two cards in each hand; the eight aces and kings are their pack unless another one is given."""
    return Rules(
        name,
        Options({"max_hands": 1}),
        players=players,
        pack=pack,
        deal=deal,
        piles=("widow", "stock"),
        phases=(*phases, NoTrumpHand(), Tricks(2)),
        score=no_points,
        end=FirstTo(1),
        recall=recall or Recall(),
    )


AUCTION = (GoingRoundAuction(1, 1), NameTrump(no_trump=True))
TOYS = {
    rules.variant: rules
    for rules in (
        toy("a hand for the widow", 2, "hands widow 2", SwapForWidow(), *AUCTION, Staying(2)),
        toy("cards of the stock", 2, "hands 2, stock 2", *stock_exchange(2), *AUCTION),
        toy(
            "the widow for the maker",
            2,
            "hands 2, widow 2",
            SuitAuction(BIDS),
            WidowForMaker(BIDS),
            ChoosePartners(BIDS),
        ),
        toy(
            "the upcard for the maker",
            3,
            "hands 2, upcard",
            OneRoundAuction(1, 1),
            NameTrump(no_trump=True),
            MayTakeUpcard(),
            DiscardForUpcard(),
        ),
        toy(
            "the bid of the joker's holder",
            2,
            "hands 2, widow",
            OneRoundAuction(2, 2),
            JokerBids(JOKER, 1),
            NameTrump(no_trump=False),
            TakeWidow(),
            pack=pack_of(2, SINGLE_JOKER),
            recall=JokerShown(),
        ),
    )
}


class Page:
    """A stand-in for a variant's page: the sampler asks only for its rules."""

    def __init__(self, name: str) -> None:
        self.name = name

    def rules(self, options: object) -> Rules:
        return TOYS[self.name]


def chosen(rules: Rules, rng: Random) -> Iterator[tuple[Game, int]]:
    """Yield positions of random first hands with frequent exchanges, each with a seat."""
    while True:
        game = Game.start(rules, rng.randrange(rules.players), SeededPacks(rng.randbytes(32), "", 0))
        while game.actor is not None:
            legal = game.legal_actions()
            liked = [action for action in legal if action.kind in ("swap", "take", "exchange") and action.number != 0]
            game.apply(rng.choice(liked if liked and rng.random() < 0.7 else legal))
            if game.actor is not None and rng.random() < 0.3:
                yield game, rng.randrange(rules.players)


@pytest.mark.parametrize("name", TOYS)
def test_every_world_is_equally_likely(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No world is missing or impossible, and each is as frequent as the deals that lead to it."""
    monkeypatch.setattr("bowerbird.engine.sampling.sampler.rules_of", Page)
    rules, rng = TOYS[name], Random(5)
    tried = exchanged = 0
    for game, seat in chosen(rules, rng):
        view = game.view(seat)
        worlds = possible(view, rules)
        assert world(game) in worlds, "the test's own list of worlds is wrong"
        if len(worlds) > MOST:
            continue
        assert_each_as_often_as_deals_lead_to_it(view, worlds, rng, DRAWS)
        tried += 1
        exchanged += any(note[0] != seat for note in state_of(game).notes)
        if tried == POSITIONS:
            break
    assert exchanged >= 6, "too few positions after another seat's exchange: the test has lost its point"
