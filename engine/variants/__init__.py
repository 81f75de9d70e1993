"""The variants, one module for a family, with a tuple `VARIANTS`; `_MODULES` below says where each is found.

What several families share stands in a module with an underscore.

How to add a variant
====================

1. Lay its page of RULES.md beside an empty function `_name(o: Options) -> Rules` and write the declaration down the
   page, section by section (`buck.py` is the model). `o.on("switch")`, `o.int("number")`, `o.word("choice")` read
   options; they are read there and nowhere else: phases, scores and ends get parameters.
2. `pack_of(ranks, jokers, double=, equal_jokers=)`; `deal` as text (`engine.deal`): "hands 2, hands 3, upcard". A deal
   may fill piles: `h.piles["widow"]` is a tuple of cards in the order dealt (never changed: put a new dict in its
   place). Piles that every seat has one of are listed in `Rules.each` and named "seconds 0", "seconds 1" ...
3. `phases` in the order of the page. Each guards itself: `begin` yields None where it does not apply, and the
   docstring says when that is. Use what is there before you write a new one:
     phases.upcard   TurnedSuit, OrderUp, PickUp, NameSuit, NoTrumpHand (B1, V12.5)
     phases.lone     LoneMaker, LoneDefender, Jamboree, JamboneTricks (B2, V4.5)
     phases.staying  Staying, count_drops (B5)
     phases.tricks   Tricks with a first leader: eldest_leads, left_of_lone_leads, maker_leads
     phases.auction  OneRoundAuction, GoingRoundAuction, DealerMayTakeUp, NameTrump (V14 to V17, V8)
     phases.exchange SwapForWidow, stock_exchange, MayTakeUpcard, DiscardForUpcard (V15 to V17)
     phases.suit_auction  SuitAuction, WidowForMaker, ChoosePartners (V18, V21)
     phases.discards DiscardDown (V7, V11)
     phases.alliance MakerAgainstTheRest (V9, V10)
   A new phase: frozen dataclass, `stage` (what is asked, as views say it), `begin`, `legal`, `apply`, and `holding`
   where a card is put forward (all cards the seat may put forward, before the duty to follow suit; `choices` narrows
   it). `apply` gets the card as a bit. Ask seats one after another with `ask_in_turn` and `next_asked`. Legal actions
   stand in canonical order (NOTATION.md); build tuples of actions once (module constants, cached_property), not in
   `legal`. Actions whose card is secret are in `actions.PRIVATE_CARD`. A phase that ends the hand sets
   `h.hand_ended` (results.THROWN_IN, UNCONTESTED, CLAIMED or a word of the page); results.REDEAL deals again.
4. What a seat learns in private goes into its memory: `h.put_away` (discards), `h.take_upcard`, else
   `h.note(seat, what, cards, other)` with `what` as `views.Memory` lists. Cards enter `h.hands` and `h.dealt` only
   when their holder may see them: a dealer who names trump before looking has 0 in both until then, his cards lie in
   a pile. Public facts of one variant: `h.extra` (name, text) for views; `h.scratch` for what a phase must remember
   (immutable, and public knowledge only). After a redeal
   `h.log` and `h.extra` go on, all else begins anew.
5. `score`: a callable from the hand to each seat's change (`engine.scoring`); `end`: `engine.ends`.
6. Sampling comes by itself (`engine.shadow` walks the same phases with symbols for unknown cards) if phases move
   cards only with the operations of `State` and with `|`, `&`, `^` on sets, never look a card up that nobody saw, and
   note every private thing. Cards that everybody sees in the deal besides the upcard, or scores booked during a hand,
   need a `Recall`; hands laid open during a hand `Phase.shown`; private queries `Phase.would_ask`.
7. A new field of `State` stands in `KNOWLEDGE` with who may know it, in `clear` (hand) or `Game.start` (game) and in
   `copy_from`; tests compare them. Keep them few.
8. `Variant`: `name` and `section` as in RULES.md, `page` in plain words (seats, pack, ranking, deal, order of play,
   scoring table, end), one line of help for each option, `check` for defaults and combinations (E3, E12). Enter it in
   `_MODULES`.
9. Tests: tests/engine/test_<module>.py with `scenario.py`: one for each rule number, one for each option value.
   test_every_variant.py runs its properties, views and sampling over every variant it finds.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from engine.errors import UnknownVariant
from engine.rules import Variant
from engine.wording import unknown

_MODULES = {
    "euchre": "euchre",
    "british": "british",
    "railroad": "railroad",
    "lap-slam": "lap_slam",
    "two-handed": "two_handed",
    "two-handed-extra-hands": "two_handed",
    "two-handed-dummy": "two_handed",
    "two-handed-straw-men": "straw_men",
    "three-handed": "three_handed",
    "cut-throat": "three_handed",
    "king-cut-throat": "king_cut_throat",
    "buck": "buck",
    "buck-turn-up": "buck",
    "buck-wager": "buck_wager",
    "dirty-clubs": "dirty_clubs",
    "buck-three-handed": "buck_bid",
    "bid-102": "buck_bid",
    "five-handed": "auction_euchre",
    "cornish": "six_handed",
    "almonte": "six_handed",
    "seven-handed": "auction_euchre",
}
"""The module of each variant, in the order of RULES.md: a match imports those that it plays."""


@cache
def _page(name: str) -> Variant:
    family: tuple[Variant, ...] = import_module(f"{__name__}.{_MODULES[name]}").VARIANTS
    return next(variant for variant in family if variant.name == name)


def variant_names() -> tuple[str, ...]:
    """The names of all variants in the order of RULES.md."""
    return tuple(_MODULES)


def rules_of(name: str) -> Variant:
    """The page of a variant.

    Raises:
        UnknownVariant: there is none of this name; the sentence names the nearest.
    """
    if name not in _MODULES:
        raise UnknownVariant(unknown("variant", name, _MODULES))
    return _page(name)


def resolve_options(name: str, given: dict[str, object] | None = None) -> dict[str, bool | int | str]:
    """Every option of a variant with the value given or its default; raises UnknownVariant and InvalidOption."""
    return rules_of(name).resolve(given)
