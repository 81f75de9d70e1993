"""Six-handed Euchre, three against three: V19 Cornish, V20 Almonte."""

from __future__ import annotations

from bowerbird.engine.cards.pack import SINGLE_JOKER, THREE_JOKERS, TWO_JOKERS, Pack, pack_of
from bowerbird.engine.ends import FirstTo
from bowerbird.engine.options import Option, Options, choice, number, switch
from bowerbird.engine.phases.base import Phase, when
from bowerbird.engine.phases.joker_turned import AloneWithBenny, BennyTurned, BoundOrderUp, JokerProposed
from bowerbird.engine.phases.lone import LoneMaker
from bowerbird.engine.phases.partner_card import DiscardForGift, card_from_partner, lone_defender, lone_maker
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.phases.upcard import NameSuit, OrderUp, PickUp
from bowerbird.engine.rules import TWO_TEAMS_OF_THREE, Rules, Variant
from bowerbird.engine.scoring import HandPoints, MakersTable
from bowerbird.engine.variants._teams import ASSIST_OF_SIX, LONE_LEAD, assist, defend_alone, defending, first_lead

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
  2  Otherwise, starting at the dealer's left, each player accepts the upcard's suit as trump ("order") or
     passes. The first to accept is the maker. With "order alone" both his partners sit out. The dealer
     takes the upcard, even if another player accepted it, and discards another card.
  3  If all pass, the upcard is turned down. Each in turn names another suit ("call h", "call h alone") or
     passes; the first to name one is the maker. If all pass again, the hand is thrown in: nobody scores.
  4  A lone maker may ask one of his partners for a card ("ask 4" or "decline"). That partner gives any card of
     his hand ("give Kd"). The maker then discards one of his six cards.
  5  Starting at the maker's left, each defender says whether he plays alone ("defend" or "decline"), even if
     the maker does not play alone. Both partners of a lone defender sit out. He may ask one of them for a
     card, as in 4.
  6  Play of five tricks. The player at the dealer's left leads, or the next one who plays. Follow suit if
     you can; otherwise play any card. The winner of a trick leads the next.

Points  (to the team)
  makers take 5 tricks                  3; a lone maker 6
  makers take 3 or 4 tricks             1
  makers take fewer than 3              to the defenders 3, to a lone defender 6
End     The first team with {target} points or more after a hand wins.
"""

_BENNY_TURNED = """\
  1  If a joker is turned up, the dealer names a suit before he looks at his cards ("call h"). His team are the
     makers; there is no bidding. He then looks at his cards, takes the joker, discards another card, and says
     "alone" or "decline". This is his only chance to play alone.
"""

CORNISH = Variant(
    name="cornish",
    section="V19",
    title="Six-handed Cornish Euchre",
    also=("Cornish Euchre",),
    page=f"""
Seats   6 players in two teams: seats 0, 2 and 4 against seats 1, 3 and 5.
Pack    {{pack}} cards: A K Q J T 9 8 7 in four suits, and the joker X1, called Benny. With pack = 50: A K Q J
        T 9 in four suits twice, the red joker Xr and the black joker Xb. Each player gets 5 cards. The next
        card is turned up (the upcard). The other 2 (19 with pack = 50) are the talon and stay unused.
Order   Trumps, highest first: joker, jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9 8 7. Of two jokers, the one of the trump colour is higher. Of two equal cards in a trick, the
        one played second wins. Jokers and left bowers are trumps in every respect. Plain suits:
        A K Q J T 9 8 7.

The hand
{_BENNY_TURNED}{_HAND}
""",
    declare=_cornish,
    own_options={
        "pack": choice("number of cards: one pack with a joker, or a double pack with two", 33, 50),
        "bennies": choice(
            "higher joker of the double pack: the one of the trump colour (red_black), or the one played second (same)",
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
    also=("Almonte Euchre",),
    page=f"""
Seats   6 players in two teams: seats 0, 2 and 4 against seats 1, 3 and 5.
Pack    31 cards: A K Q J T 9 8 in four suits, and the jokers X1, X2 and X3. Each player gets 5 cards. The last
        card is turned up (the upcard).
Order   Trumps, highest first: X1, X2, X3, jack of trumps (right bower), other jack of that colour (left
        bower), A K Q T 9 8. Jokers and the left bower are trumps in every respect. Plain suits:
        A K Q J T 9 8.

The hand
{_BENNY_TURNED}{_HAND}
""",
    declare=_almonte,
    own_options={
        "target": number(15, "points that win the game"),
        "joker_turned": choice(
            "suit that the dealer names for a turned joker: he is the maker; or he proposes it and the rounds follow;"
            " or as proposed, but he must accept it if all others pass",
            "maker",
            "proposed",
            "forced",
        ),
        **SIX_OPTIONS,
    },
)

VARIANTS = (CORNISH, ALMONTE)
