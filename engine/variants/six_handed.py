"""Six-handed Euchre, three against three: V19 Cornish, V20 Almonte."""

from __future__ import annotations

from engine.cards.pack import SINGLE_JOKER, THREE_JOKERS, TWO_JOKERS, Pack, pack_of
from engine.ends import FirstTo
from engine.options import Option, Options, choice, number, switch
from engine.phases.base import Phase, when
from engine.phases.joker_turned import AloneWithBenny, BennyTurned, BoundOrderUp, JokerProposed
from engine.phases.lone import LoneMaker
from engine.phases.partner_card import DiscardForGift, card_from_partner, lone_defender, lone_maker
from engine.phases.tricks import Tricks
from engine.phases.upcard import NameSuit, OrderUp, PickUp
from engine.rules import TWO_TEAMS_OF_THREE, Rules, Variant
from engine.scoring import HandPoints, MakersTable
from engine.variants._teams import ASSIST_OF_SIX, LONE_LEAD, assist, defend_alone, defending, first_lead

HOWS = ("", "alone")

SIX_TABLE = MakersTable(  # V19.8, V20.8
    {"": HandPoints(march=3, point=1, euchre=3), "alone": HandPoints(march=6, point=1, euchre=3)}, lone_defender=6
)

SIX_OPTIONS: dict[str, Option] = {
    "defend_alone": defend_alone("always", "never", "vs_alone"),
    "assist_must_go_alone": switch(ASSIST_OF_SIX),
    "ask_card": switch("a lone player may ask one of his partners for a card (B3)", default=True),
    "lone_lead": LONE_LEAD,
}


def _calls(o: Options, joker_turned: str) -> tuple[Phase, ...]:
    """Return the phases that make trump under the option `joker_turned` (V19.5.1 to 3, V20.5.1 to 3)."""
    order_up, name_suit = OrderUp(HOWS, assist(o, HOWS)), NameSuit(HOWS)
    return {
        "maker": (BennyTurned(), order_up, PickUp(), AloneWithBenny(), name_suit),
        "proposed": (JokerProposed(), order_up, PickUp(), name_suit),
        "forced": (JokerProposed(), BoundOrderUp(HOWS, assist(o, HOWS)), PickUp(), name_suit),
    }[joker_turned]


def _three_against_three(o: Options, variant: str, pack: Pack, joker_turned: str) -> Rules:
    return Rules(
        variant,
        o,
        players=6,
        teams=TWO_TEAMS_OF_THREE,  # 1
        pack=pack,  # 2
        deal="hands 2, hands 3, upcard",  # 4
        phases=(
            *_calls(o, joker_turned),  # 5.1, 5.2, 5.3
            LoneMaker(),  # L2
            *when(o.on("ask_card"), *card_from_partner(lone_maker, DiscardForGift)),  # 5.4
            *defending(o),  # 5.5
            *when(o.on("ask_card"), *card_from_partner(lone_defender, DiscardForGift)),  # 5.6
            Tricks(5, first_lead(o)),  # 5.7
        ),
        score=SIX_TABLE,  # 8
        end=FirstTo(o.int("target")),  # 9
    )


def _cornish(o: Options) -> Rules:
    packs = {
        33: pack_of(8, SINGLE_JOKER),
        50: pack_of(6, TWO_JOKERS, double=True, equal_jokers=o.word("bennies") == "same"),
    }
    return _three_against_three(o, "cornish", packs[o.int("pack")], "maker")


def _almonte(o: Options) -> Rules:
    return _three_against_three(o, "almonte", pack_of(7, THREE_JOKERS), o.word("joker_turned"))


_HAND = """\
  2  Else, from the dealer's left, each may "order" the upcard's suit (or "order alone": both partners sit out), or
     pass; who accepts is the maker. The dealer takes the upcard and discards another card.
  3  All passed: the upcard is turned down. Each in turn may name another suit ("call h", "call h alone"). All pass
     again: thrown in, nobody scores.
  4  A lone maker may ask one of his partners for a card ("ask 4" or "decline"): that partner gives any card of his
     hand ("give Kd"), and the maker discards one of his six.
  5  The defenders are asked from the maker's left whether one of them defends alone ("defend" or "decline"); both his
     partners then sit out, and he, too, may ask one of them for a card. This is so whether or not the maker is alone.
  6  Five tricks. The first seat in play from the dealer's left leads. Follow suit if you can; else play anything.

Points  (to the side)
  makers take 5 tricks                  3; a lone maker 6
  makers take 3 or 4 tricks             1
  makers take fewer than 3              defenders 3; a lone defender 6"""

_BENNY_TURNED = """\
  1  Joker turned: the dealer names a suit before he looks at his cards ("call h"). His side are the makers, nobody
     bids. He looks, takes the joker, discards another card, and then says "alone" or "decline": his only chance to
     play alone."""

CORNISH = Variant(
    name="cornish",
    section="V19",
    title="Six-handed Cornish Euchre",
    page=f"""
Seats   6, every other one a partner: 0, 2 and 4 against 1, 3 and 5.
Pack    {{pack}}: A K Q J T 9 8 7 in four suits, and the joker X1, called Benny; or with pack = 50 twice A K Q \
J T 9 in four
        suits, and the red joker Xr and the black joker Xb. Each is dealt 5; the next card is the upcard, 2 (or 19)
        stay in the talon.
Order   Trumps from the top: joker, the jack of trumps (right bower), the other jack of that colour (left bower),
        A K Q T 9 8 7. Of two jokers that of the trumps' colour is the higher; of two equal cards in one trick the
        second played wins. Joker and left bower are trumps in every respect. Plain suits: A K Q J T 9 8 7.

The hand
{_BENNY_TURNED}
{_HAND}
End     The first side with {{target}} points after a hand wins.
""",
    declare=_cornish,
    own_options={
        "pack": choice("number of cards: one pack with a joker, or a double pack with two", 33, 50),
        "bennies": choice(
            "the two jokers of the double pack: that of the trumps' colour is higher, or both are alike and the second"
            " played wins",
            "red_black",
            "same",
        ),
        "target": number(11, "points that win the game"),
        **SIX_OPTIONS,
    },
)

ALMONTE = Variant(
    name="almonte",
    section="V20",
    title="Six-handed Almonte Euchre",
    page=f"""
Seats   6, every other one a partner: 0, 2 and 4 against 1, 3 and 5.
Pack    31: A K Q J T 9 8 in four suits, and three jokers X1 X2 X3. Each is dealt 5; the last card is the upcard.
Order   Trumps from the top: X1, X2, X3, the jack of trumps (right bower), the other jack of that colour (left bower),
        A K Q T 9 8. Jokers and left bower are trumps in every respect. Plain suits: A K Q J T 9 8.

The hand
{_BENNY_TURNED}
{_HAND}
End     The first side with {{target}} points after a hand wins.
""",
    declare=_almonte,
    own_options={
        "target": number(15, "points that win the game"),
        "joker_turned": choice(
            "a turned joker: the dealer is maker in the suit he names; or he only proposes it, and rounds follow; or"
            " so, but he must take it when all others pass",
            "maker",
            "proposed",
            "forced",
        ),
        **SIX_OPTIONS,
    },
)

VARIANTS = (CORNISH, ALMONTE)
