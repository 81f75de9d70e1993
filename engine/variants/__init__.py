"""The variants. Each module has the variants of a family in `VARIANTS`; `_MODULES` below maps a variant to its module.

Modules with an underscore contain code that several families share.

How to add a variant
====================

1. Write a function `_name(o: Options) -> Rules` that follows the variant's page of rules.md section by section
   (`buck.py` is the model). `o.on("switch")`, `o.int("number")` and `o.word("choice")` read options. Read options only
   there: phases, scores and ends get parameters.
2. Declare `pack` with `pack_of(ranks, jokers, double=, equal_jokers=, first_wins=)` and `deal` as text
   (`engine.cards.deal`): "hands 2, hands 3, upcard". A deal can fill piles, which `Rules.piles` lists.
   `h.piles["widow"]` is a tuple of cards in the order dealt. Never change the dict: replace it, as `h.take_pile` does.
   `Rules.each` lists the piles that exist once for each seat; they are named "seconds 0", "seconds 1" and so on.
3. List `phases` in the order of the page, with `*when(o.on("switch"), Phase())` for a phase that an option adds. Each
   phase checks for itself whether it applies: if not, `begin` returns None. Its docstring says when it applies. Look
   through the existing phases before you write a new one:
     phases.upcard   TurnedSuit, OrderUp, PickUp, NameSuit, NoTrumpHand (B1, V12.5)
     phases.poor_hands  Misdeal, farmers_hand (B6, B7)
     phases.lone     LoneMaker, LoneDefender, Jamboree, JamboneTricks (B2, V4.5)
     phases.staying  Staying (B5)
     phases.tricks   Tricks with a first leader: eldest_leads, left_of_lone_leads, maker_leads, maker_or_eldest_leads
     phases.auction  OneRoundAuction, GoingRoundAuction, LeavingAuction, JokerBids, DealerMayTakeUp, NameTrump (V8, V14
                     to V17, V22 to V24)
     phases.lone_bid DiscardForGifts, GiveToMaker (B9)
     phases.exchange SwapForWidow, TakeWidow, stock_exchange, MayTakeUpcard, DiscardForUpcard (V15 to V17, V23)
     phases.suit_auction  SuitAuction, WidowForMaker, ChoosePartners (V18, V21)
     phases.discards DiscardDown (V7, V11)
   A new phase is a frozen dataclass with `stage` (name of the question, as views show it), `begin`, `legal` and
   `apply`. A phase that asks for a card also has `holding`: all cards that the seat chooses from, before the duty to
   follow suit limits them (`choices`). `apply` gets the card as a bit. Ask seats one after another with `ask_in_turn`
   and `next_asked`. Return legal actions in canonical order (notation.md). Build tuples of actions once (module
   constants, cached_property), not in `legal`. `actions.PRIVATE_CARD` lists the actions whose card is secret. A phase
   that ends the hand sets `h.hand_ended` (results.THROWN_IN, UNCONTESTED, CLAIMED or a word of the page).
   results.REDEAL deals again.
4. Record everything that a seat learns in private. `h.put_away` (discards) and `h.take_upcard` do this; otherwise call
   `h.note(seat, what, cards, other)` with a `what` from `views.Memory`. Put cards into `h.hands` and `h.dealt` only
   when their holder may see them: a dealer who names trump before looking has 0 in both until then, and his cards are
   in a pile. Put public facts of a single variant into `h.extra` as (name, text). A phase finds earlier decisions in
   `h.log`, the public history of the hand; its last event is the decision that `apply` is making. After a redeal
   `h.log` and `h.extra` continue; everything else starts over.
5. `score` is a function that returns each seat's change of score for a hand (`engine.scoring`), and `end` comes from
   `engine.ends`.
6. Sampling usually needs no extra code: `engine.sampling` goes through the same phases with symbols for unknown cards.
   This works if phases move cards only with the operations of `State` and with `|`, `&`, `^` on sets, never look up a
   card that no seat saw, and record all private knowledge. You need a `Recall` for cards of the deal that every seat
   sees besides the upcard, and for scores that change during a hand. You need `Phase.shown` for hands laid open during
   a hand, `Phase.would_ask` for private queries, and `Phase.must_hold` for questions that reveal something about the
   hand of the seat that is asked.
7. Declare a new field of `State` in that class, with the seats that may know it and its value at the start of a hand
   (`bowerbird.engine.fields`). Set a field that lasts from hand to hand in `GameState.before_deal`. Keep them few.
8. Write the `Variant`: `name` and `section` as in rules.md; `page`, which describes the game with the default options
   in plain words (seats, pack, ranking, deal, order of play, scoring table, end) with `{target}` for an option's
   default; one line of help for each option; `check` for defaults and combinations (E3, E12). `engine.page_text` fills
   paragraphs to 80 columns; keep table rows within this width. Add the variant to `_MODULES`.
9. Write tests in tests/engine/test_<module>.py with `scenario.py`: one for each rule number and one for each option
   value. test_every_variant.py tests the properties, views and sampling of every variant that it finds.

How to add an option to a variant
=================================

1. Add it to `own_options` of its `Variant` with `switch`, `number` or `choice` and a line of help. Options of all
   variants are in `bowerbird.engine.rules.COMMON_OPTIONS`.
2. Read it in the function that declares the variant's rules, and pass it to the phase, score or end that depends on it.
3. Describe it on the page; `{name}` stands for its default. Extend `check` if it excludes other values.
4. Write a test for each value, and regenerate the games in tests/fixtures, each of which lists all options.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from bowerbird.engine.errors import UnknownVariant
from bowerbird.engine.rules import Variant
from bowerbird.engine.wording import did_you_mean, unknown

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
    "bid-euchre": "bid_euchre",
    "hasenpfeffer": "hasenpfeffer",
    "buck-auction": "buck_auction",
}
"""The module of each variant, in the order of rules.md.

A match imports only the modules that it needs.
"""

NOT_HERE: Mapping[str, tuple[str, ...]] = {
    "Five Hundred": ("500",),
    "Cincinnati Euchre": ("Horse",),
    "Call-ace Euchre": (),
    "Jucker": (),
    "Napoleon": ("Nap",),
}
"""Games of the family that people ask for but that are not implemented, by title, with their other names."""

NEAR = 0.75
"""The minimum similarity of a suggestion. Variants share many words, so a looser match would suggest another game."""


@cache
def _page(name: str) -> Variant:
    family: tuple[Variant, ...] = import_module(f"{__name__}.{_MODULES[name]}").VARIANTS
    return next(variant for variant in family if variant.name == name)


def variant_names() -> tuple[str, ...]:
    """Return the names of all variants in the order of rules.md."""
    return tuple(_MODULES)


def rules_of(name: str) -> Variant:
    """Return the page of a variant.

    >>> rules_of("buck").seats(), rules_of("dirty-clubs").seats({"players": 7})
    (4, 7)

    Raises:
        UnknownVariant: there is no such variant; the message suggests the nearest name.
    """
    if name not in _MODULES:
        raise UnknownVariant(unknown("variant", name, _MODULES, near=NEAR))
    return _page(name)


def variant_named(text: str) -> str:
    """Return the id of a variant, given its id, its title or another common name.

    Case, spaces and punctuation do not matter.

    >>> variant_named("Buck Euchre"), variant_named("bid_euchre 102"), variant_named("cut throat")
    ('buck', 'bid-102', 'cut-throat')

    Raises:
        UnknownVariant: there is no such variant. The message never suggests another game.
    """
    if text in _MODULES:
        return text
    wanted = _spelt(text)
    for name in _MODULES:
        page = _page(name)
        if wanted in map(_spelt, (name, page.title, *page.also)):
            return name
    if any(wanted in map(_spelt, (title, *also)) for title, also in NOT_HERE.items()):
        raise UnknownVariant(f"{text!r} is a game that is not here; 'bowerbird variants' lists those that are")
    others = [name for name in _MODULES if name not in text.lower().split()]  # "nap euchre" is not a misspelt "euchre"
    hint = did_you_mean(text, others, NEAR)
    raise UnknownVariant(f"unknown variant {text!r}{hint}" if hint else unknown("variant", text, _MODULES, near=1))


def _spelt(name: str) -> str:
    """Return a name in lower case, without spaces and punctuation."""
    return re.sub(r"[^a-z0-9]+", "", name.lower())


def resolve_options(name: str, given: dict[str, object] | None = None) -> dict[str, bool | int | str]:
    """Return every option of a variant with its given value or its default.

    >>> resolve_options("buck", {"start": "12"})["start"], resolve_options("buck")["start"]
    (12, 25)
    >>> resolve_options("buck", {"start": 0})
    Traceback (most recent call last):
    bowerbird.engine.errors.InvalidOption: option start of buck must be a whole number from 1 up, not 0

    Raises:
        UnknownVariant: there is no such variant.
        InvalidOption: an option does not exist, or a value or a combination is not allowed.
    """
    return rules_of(name).resolve(given)
