"""V11 King Cut-Throat Euchre, for three or two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bowerbird.engine.cards.deal import DealPlan
from bowerbird.engine.cards.pack import SINGLE_JOKER, pack_of
from bowerbird.engine.ends import FirstTo
from bowerbird.engine.options import Options, choice, number, switch
from bowerbird.engine.phases.discards import KITTY, REDEALS, DiscardDown, FlipKitty, LeftOfNamerReceives, redeals_of
from bowerbird.engine.phases.kings import (
    SHOWDOWN_TRICKS,
    DealShowdown,
    KingShowdownTricks,
    KingTricks,
    LastWinnerLeads,
    MediatorNamesLeader,
    ShowdownTricks,
    kings_of,
    rivals,
)
from bowerbird.engine.phases.upcard import NameSuit, OrderUp
from bowerbird.engine.results import KING, SHOWDOWN, TARGET, Verdict
from bowerbird.engine.rules import Recall, Rules, Variant
from bowerbird.engine.state import State
from bowerbird.engine.views import SeatView

TRICKS = 7
FIRST_DISCARDS = 3


@dataclass(frozen=True)
class KittyRecall(Recall):
    """The recall of a hand with a turned kitty card, scores for kings during the hand, and redeals.

    `discards` is the number of cards that each seat discards before the kitty is turned.
    """

    discards: int

    def places(self, view: SeatView, plan: DealPlan) -> Iterator[tuple[int, str]]:
        """Yield the turned card at its place, the top of the kitty."""
        if view.upcard:
            yield dict(plan.piles)[KITTY][0], view.upcard

    def scores(self, view: SeatView) -> tuple[int, ...]:
        """Return the scores without the points for kings in this hand."""
        kings = kings_of(view.extra, view.players)
        return tuple(score - points for score, points in zip(view.scores, kings, strict=True))

    def redealt(self, view: SeatView, h: State) -> None:
        """Restore the number of redeals and the first discards that each seat made before them."""
        redeals = redeals_of(view.extra)
        if redeals:
            h.log = list(view.history[: redeals * self.discards * view.players])
            h.extra = ((REDEALS, str(redeals)),)


def most_tricks(h: State) -> tuple[int, ...]:
    """Return the points at the end of a hand (V11.8). Points for kings are already in the scores."""
    if h.hand_ended == KING:
        return (0,) * h.rules.players
    if h.hand_ended == SHOWDOWN:
        return _showdown(h)
    most = max(h.tricks_won)
    winner = h.tricks_won.index(most)
    points = 1 if most < TRICKS else 2 if winner == h.maker else 3
    return tuple(points if seat == winner else 0 for seat in h.rules.seats)


def _showdown(h: State) -> tuple[int, ...]:
    """Return plus one for the winner of the showdown, and minus one for the loser if he has a point."""
    winner, loser = sorted(h.active, key=lambda seat: h.tricks_won[seat], reverse=True)
    lost = min(1, h.scores[loser])
    return tuple({winner: 1, loser: -lost}.get(seat, 0) for seat in h.rules.seats)


@dataclass(frozen=True)
class FirstToAtAnyMoment(FirstTo):
    """A `FirstTo` whose verdict is "king" or "showdown" if that won the last point (V11.9)."""

    def settle(self, h: State) -> Verdict | None:
        """Return the verdict of this hand, or None; see `End`."""
        verdict = super().settle(h)
        if verdict is None:
            return None
        return Verdict(h.hand_ended if h.hand_ended in (KING, SHOWDOWN) else TARGET, verdict.winners)


def _king_cut_throat(o: Options) -> Rules:
    to_all = {3: "hands", 2: "eldest phantom dealer"}[o.int("players")]
    target = o.int("target")
    leader = {"last_winner": LastWinnerLeads(), "mediator_chooses": MediatorNamesLeader()}[o.word("showdown_lead")]
    tricks = TRICKS + SHOWDOWN_TRICKS
    showdown = KingShowdownTricks(tricks, target=target) if o.on("kings_score_in_showdown") else ShowdownTricks(tricks)
    return Rules(
        "king-cut-throat",
        o,
        players=o.int("players"),  # V11.1
        pack=pack_of(8, SINGLE_JOKER),  # 2
        deal=f"{to_all} 3, kitty 3, {to_all} 4, {to_all} 3",  # 4
        piles=(KITTY, "phantom"),
        phases=(
            DiscardDown(keep=7),  # 5.1
            FlipKitty(o.word("joker_flip").removeprefix("redeal")),  # 5.2
            OrderUp(),  # 5.3
            NameSuit(),  # 5.4, 5.5
            LeftOfNamerReceives(),  # 5.3, 5.4
            DiscardDown(keep=7),  # 5.3, 5.4
            KingTricks(TRICKS, target=target),  # 5.7
            leader,
            DealShowdown(),
            DiscardDown(keep=5, order=rivals),
            showdown,  # 5.8
        ),
        score=most_tricks,  # 8
        end=FirstToAtAnyMoment(target),  # 9
        recall=KittyRecall(FIRST_DISCARDS),
    )


KING_CUT_THROAT = Variant(
    name="king-cut-throat",
    section="V11",
    title="King Cut-Throat Euchre",
    page="""
Seats   {players} players, each for himself; 2 with the option players.
Pack    33 cards: A K Q J T 9 8 7 in four suits, and the joker X1. Each player gets 10 cards; 3 are the kitty,
        face down. With two players a third hand is dealt between them (the phantom) and stays unused.
Order   Trumps, highest first: X1, jack of trumps (right bower), other jack of that colour (left bower),
        A K Q T 9 8 7. The joker and the left bower are trumps in every respect. Plain suits:
        A K Q J T 9 8 7.

The hand
  1  Starting at the dealer's left, each player discards 3 of his 10 cards, one at a time. Discards go face
     down to a pile called the outside.
  2  The top card of the kitty is turned up (the upcard). If it is the joker, the same dealer deals again.
  3  Starting at the dealer's left, each player accepts the upcard's suit as trump ("order") or passes. The
     first to accept is the namer. The player at the namer's left takes the upcard and discards any one card
     to the outside. The other two kitty cards go to the outside, unseen.
  4  If all pass, each in turn names another suit ("call h") or passes; the first to name one is the namer.
     The player at the namer's left takes the two unseen kitty cards and discards any two cards to the
     outside. The upcard goes to the outside, too. If all pass again, the hand is thrown in: nobody scores.
  5  Play of seven tricks. The player at the dealer's left leads. Follow suit if you can; otherwise play any
     card. The winner of a trick leads the next. A player who wins a trick with a king scores 1 point at once.
  6  Showdown, if the players took 3, 3 and 1 tricks: the twelve cards of the outside are shuffled. The two
     players with 3 tricks get six cards each; the one who comes first, clockwise from the third player, gets
     the first six. Each discards one. The two play five tricks with the same trumps. The player who won the
     later of their tricks leads.

Points
  a king wins a trick                   1 at once, also in the showdown
  most tricks, fewer than 7             1
  all 7 tricks                          2 to the namer, or 3 to another player
  showdown                              1 to its winner, 1 from its loser if he
                                        has any; nobody scores for most tricks
End     The first player with {target} points wins at once, even in the middle of a hand.
Facts   The field extra of a view lists the kings that won tricks in this hand, by seat: ("kings", "0 1 0"). It
        also has the number of times the hand was dealt again: ("redeals", "1"). The showdown continues the
        trick numbers and counts of the seven tricks before it.
""",
    declare=_king_cut_throat,
    own_options={
        "players": choice("number of players", 3, 2),
        "target": number(10, "points that win the game"),
        "joker_flip": choice(
            "a turned joker: deal again, or the joker counts as a card of this suit",
            "redeal",
            "s",
            "h",
            "d",
            "c",
        ),
        "polite": switch("played cards stay visible; this concerns displays and has no effect on play", default=True),
        "showdown_lead": choice(
            'leader of the showdown: the winner of the later trick, or as the third player says ("lead 2")',
            "last_winner",
            "mediator_chooses",
        ),
        "kings_score_in_showdown": switch("kings also score in the showdown", default=True),
    },
)

VARIANTS = (KING_CUT_THROAT,)
