"""The rollout policy: a quick, sound player for all seats of a world that a search has drawn.

In the play it sees the cards of every seat, since it plays in a drawn world, and looks no further than the current
trick. Its bids use only the seat's own hand, with the thresholds of the greedy bot
(`bowerbird.bots.greedy.thresholds`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bowerbird.bots.greedy.bidding import STAY_MARGIN, chance_to_make, chosen_contract
from bowerbird.bots.greedy.ranking import SUITS, bits
from bowerbird.bots.greedy.thresholds import thresholds_for
from bowerbird.bots.search.estimator import TrickEstimator
from bowerbird.engine import Action, Game, Lead, OptionValue, Pack, rules_of

USEFUL = 0.3
"""A card that adds fewer tricks to the hand is exchanged for an unknown one."""


class BeatTable:
    """The order of a pack's cards under one trump, as sets for quick look-up.

    Attributes:
        trumps: the set of all trumps.
        cost: for each card, how much a hand misses it. Every trump costs more than any plain card.
        beaters: the cards that beat the best card so far, by the cards that follow (`Lead.follow`) and the minimum
            strength that beats it (`Lead.to_beat`).
        leads: for each card led, the cards that follow and the strength of each.
        on_lead: for each card led, the cards that follow it and the cards that beat it.
    """

    __slots__ = ("beaters", "cost", "leads", "on_lead", "trumps")

    def __init__(self, pack: Pack, trump: str) -> None:
        order = pack.order(trump)
        self.trumps = order.trumps
        self.leads = order.lead
        self.cost = {card: order.lead[card].strength[card] for card in pack.cards}
        self.beaters: dict[int, dict[int, int]] = {}
        self.on_lead: dict[int, tuple[int, int]] = {}
        for led in pack.cards:
            lead = order.lead[led]
            if lead.follow not in self.beaters:
                self.beaters[lead.follow] = {
                    best: sum(card for card, strength in lead.strength.items() if strength >= max(best, 1))
                    for best in set(lead.to_beat.values())
                }
            self.on_lead[led] = (lead.follow, self.beaters[lead.follow][lead.to_beat[led]] & ~led)


class RolloutPolicy:
    """A policy for games of one variant with one set of options, which chooses the same action in equal games."""

    def __init__(self, variant: str, options: Mapping[str, OptionValue]) -> None:
        """Play `variant` with `options`, which has every option, including those at their defaults."""
        rules = rules_of(variant).rules(options)
        self._pack = rules.pack
        self._thresholds = thresholds_for(variant)
        self._beat_tables: dict[str, BeatTable] = {}
        self._estimators: dict[tuple[str, int, int], TrickEstimator] = {}
        self._by_kind: dict[str, Callable[[Game, tuple[Action, ...]], Action]] = {
            "play": self._play,
            "dictate": self._dictate,
            "order": self._order_up,
            "call": self._name_trump,
            "bid": self._bid,
            "lone": self._bid,
            "alone": self._go_alone,
            "defend": self._defend_alone,
            "claim": self._first,
            "stay": self._stay_in,
            "discard": self._discard,
            "swap": self._swap_hand,
            "show": self._show,
            "take": self._take_cards,
            "exchange": self._exchange_cards,
            "ask": self._first,
            "give": self._give_card,
            "partner": self._choose_partner,
            "lead": self._choose_leader,
        }

    def choose(self, game: Game) -> Action:
        """Return one of the legal actions of `game.actor`."""
        return self.choose_from(game, game.legal_actions())

    def choose_from(self, game: Game, legal: tuple[Action, ...]) -> Action:
        """Return one of `legal`, the legal actions of `game.actor`, for callers that already have them."""
        if len(legal) == 1:
            return legal[0]
        kind = legal[0].kind
        return self._by_kind[kind if kind != "pass" else legal[1].kind](game, legal)

    # The play

    def _beat_table(self, trump: str) -> BeatTable:
        found = self._beat_tables.get(trump)
        if found is None:
            found = self._beat_tables[trump] = BeatTable(self._pack, trump)
        return found

    def _play(self, game: Game, legal: tuple[Action, ...]) -> Action:
        trick = game.open_trick()
        table = self._beat_table(trick.trump)
        if trick.is_begun:
            card = _follow(
                table, trick.choices, trick.lead, trick.best, partner_wins=trick.partner_wins, foes=trick.foes
            )
        else:
            card = _lead(table, trick.choices, trick.foes)
        return self._pack.plays(card)[0]

    def tricks(self, game: Game) -> list[int]:
        """Return how many tricks each seat has won at the end of a hand in plain play.

        Every card is the one that `choose` would play, but the hand is played on sets of cards without a game around
        it.
        """
        table = self._beat_table(game.trump)
        leads, hands, won = table.leads, list(game.hands), list(game.tricks_won)
        sides, active = game.sides, game.active
        after = {seat: active[(place + 1) % len(active)] for place, seat in enumerate(active)}
        seat, leader = game.actor, game.leader
        assert seat is not None
        assert leader is not None
        trick = game.open_trick()
        lead, best, winning = (trick.lead, trick.best, game.winning) if trick.is_begun else (None, 0, seat)
        for _ in range(game.rules.most_tricks - game.trick_number):
            while True:
                hand = hands[seat]
                cards = hand if lead is None else hand & lead.follow or hand
                if cards & cards - 1:
                    own, foes, later = sides[seat], [], after[seat]
                    while later != leader:
                        if sides[later] != own:
                            foes.append(hands[later])
                        later = after[later]
                    if lead is None:
                        card = _lead(table, cards, foes)
                    else:
                        card = _follow(table, cards, lead, best, partner_wins=sides[winning] == own, foes=foes)
                else:
                    card = cards
                hands[seat] = hand ^ card
                if lead is None:
                    lead, best = leads[card], 0
                strength = lead.strength[card]
                if strength >= best:
                    best, winning = lead.to_beat[card], seat
                seat = after[seat]
                if seat == leader:
                    break
            won[winning] += 1
            seat = leader = winning
            lead = None
        return won

    def _dictate(self, game: Game, legal: tuple[Action, ...]) -> Action:
        """Dictate the strongest of the Jambone player's cards (V4.5.5) that loses, or the weakest if all win."""
        trick = game.open_trick()
        table = self._beat_table(trick.trump)
        cards = trick.choices
        losers = cards & ~table.beaters[trick.lead.follow][trick.best] if trick.is_begun else 0
        card = max(bits(losers), key=table.cost.__getitem__) if losers else min(bits(cards), key=table.cost.__getitem__)
        return self._pack.dictates(card)[0]

    # The value of a hand

    @staticmethod
    def _opposition(game: Game) -> tuple[int, int]:
        """Return how many opponents the actor has in the play, and how many cards it will play."""
        seat = game.actor
        assert seat is not None
        sides = game.sides
        own = sides[seat]
        opponents = 0
        for other in game.active:
            opponents += sides[other] != own
        each = game.hands[seat].bit_count()
        if game.laid:
            each += game.covered[seat] if game.covered else 0
        return opponents, each

    def _value(self, against: tuple[int, int], trump: str, hand: int) -> float:
        """Return the tricks that `hand` would take under `trump` against this `_opposition`."""
        key = (trump, *against)
        found = self._estimators.get(key)
        if found is None:
            found = self._estimators[key] = TrickEstimator(self._pack, *key)
        return found.tricks(hand)

    def _with_card(self, against: tuple[int, int], trump: str, hand: int, card: int) -> int:
        """Return `hand` after it took `card` and discarded its weakest card under `trump`."""
        both = hand | card
        if not card or not hand:
            return both
        return max((both & ~out for out in bits(hand)), key=lambda kept: self._value(against, trump, kept))

    @staticmethod
    def _hand(game: Game) -> int:
        seat = game.actor
        assert seat is not None
        return game.hands[seat] | game.laid[seat] if game.laid else game.hands[seat]

    @staticmethod
    def _open_upcard(game: Game) -> int:
        return game.upcard if game.upcard_place == "up" else 0

    def _best_trump(self, against: tuple[int, int], hand: int) -> tuple[float, str]:
        """Return the most tricks that `hand` can expect, and the trump."""
        found = ((self._value(against, trump, hand), trump) for trump in self._possible_trumps())
        return max(found, key=lambda pair: pair[0])

    def _possible_trumps(self) -> tuple[str, ...]:
        """Return the trumps that the winner of the auction can name."""
        return (*SUITS, "nt") if self._thresholds.names_no_trump else SUITS

    # The bidding

    def _order_up(self, game: Game, legal: tuple[Action, ...]) -> Action:
        against = self._opposition(game)
        hand = self._hand(game)
        card = self._open_upcard(game)
        if self._thresholds.names_any_suit:
            tricks = max(self._value(against, trump, self._with_card(against, trump, hand, card)) for trump in SUITS)
        else:
            tricks = self._value_if_ordered(game, against, game.proposed or self._pack.code[game.upcard][1], hand, card)
        offers = [action for action in legal if action.kind == "order"]
        return self._alone_or_with_partners(legal, offers, tricks, self._thresholds.order)

    def _value_if_ordered(self, game: Game, against: tuple[int, int], trump: str, hand: int, card: int) -> float:
        """Return the same tricks as `bowerbird.bots.greedy.evaluation.value_if_ordered`."""
        if game.actor == game.dealer:
            return self._value(against, trump, self._with_card(against, trump, hand, card))
        worth = self._value(against, trump, card) if card else 0.0
        assert game.actor is not None  # the hand is not over
        helps = 0.7 if game.sides[game.dealer] == game.sides[game.actor] else -0.5
        return self._value(against, trump, hand) + helps * worth

    def _name_trump(self, game: Game, legal: tuple[Action, ...]) -> Action:
        against = self._opposition(game)
        hand = self._hand(game)
        calls = [action for action in legal if action.kind == "call"]
        tricks = {suit: self._value(against, suit, hand) for suit in {action.suit for action in calls}}
        best = max(calls, key=lambda action: tricks[action.suit]).suit
        offers = [action for action in calls if action.suit == best]
        return self._alone_or_with_partners(legal, offers, tricks[best], self._thresholds.name)

    def _alone_or_with_partners(
        self, legal: tuple[Action, ...], offers: list[Action], tricks: float, needed: float
    ) -> Action:
        by_how = {action.how: action for action in reversed(offers)}
        if tricks >= self._thresholds.alone and "alone" in by_how:
            return by_how["alone"]
        if legal[0].kind == "pass" and (tricks < needed or "" not in by_how):
            return legal[0]
        return by_how.get("", offers[0])

    def _bid(self, game: Game, legal: tuple[Action, ...]) -> Action:
        """Bid like `bowerbird.bots.greedy.bidding.bid`."""
        against = self._opposition(game)
        bids = [action for action in legal if action.kind == "bid"]
        hand = self._hand(game)
        if self._thresholds.shares_tricks:
            named = dict.fromkeys(action.suit for action in legal if action.suit) or self._possible_trumps()
            by_trump = {trump: self._value(against, trump, hand) for trump in named}
            return chosen_contract(legal, by_trump, hand.bit_count(), self._thresholds)
        if bids[0].suit:
            return self._bid_stake(against, legal[0], bids, hand)
        tricks = self._best_trump(against, hand)[0]
        card = self._open_upcard(game) if self._thresholds.takes_upcard else 0
        if card:
            tricks = max(tricks, *(self._value(against, t, self._with_card(against, t, hand, card)) for t in SUITS))
        if legal[0].kind == "pass" and tricks < (bids[0].number or 0) + self._thresholds.bid_margin:
            return legal[0]
        return bids[0]

    def _bid_stake(self, against: tuple[int, int], passing: Action, bids: list[Action], hand: int) -> Action:
        thresholds = self._thresholds
        best, most = passing, 0.0
        tricks, suit = self._best_trump(against, hand)
        for action in bids:
            if action.suit != suit:
                continue
            number = action.number or 0
            needed, partners, widow = thresholds.contracts[number]
            expected = tricks + thresholds.partner_tricks * partners + (thresholds.widow_tricks if widow else 0.0)
            balance = number * (2.0 * chance_to_make(expected - needed) - 1.0)
            if balance > most:
                best, most = action, balance
        return best

    def _go_alone(self, game: Game, legal: tuple[Action, ...]) -> Action:
        against = self._opposition(game)
        return legal[self._value(against, game.trump, self._hand(game)) < self._thresholds.alone]

    def _defend_alone(self, game: Game, legal: tuple[Action, ...]) -> Action:
        against = self._opposition(game)
        return legal[self._value(against, game.trump, self._hand(game)) < self._thresholds.defend]

    def _stay_in(self, game: Game, legal: tuple[Action, ...]) -> Action:
        against = self._opposition(game)
        opponents = len(game.active) - 1
        needed = self._thresholds.stay + STAY_MARGIN.get(opponents, 0.0)
        return legal[self._value(against, game.trump, self._hand(game)) < needed]

    def _first(self, game: Game, legal: tuple[Action, ...]) -> Action:
        return legal[0]

    # Exchanges

    def _likely_trump(self, game: Game, against: tuple[int, int]) -> str:
        return game.trump or self._best_trump(against, self._hand(game))[1]

    def _discard(self, game: Game, legal: tuple[Action, ...]) -> Action:
        """Discard the card that the hand misses least."""
        return self._pack.discards(self._least(game))[0]

    def _show(self, game: Game, legal: tuple[Action, ...]) -> Action:
        """Show, and thus put away, the card that the hand misses least."""
        return self._pack.shows(self._least(game))[0]

    def _least(self, game: Game) -> int:
        """Return the card, of those that the actor may choose, that the hand misses least."""
        against = self._opposition(game)
        trump = self._likely_trump(game, against)
        hand = self._hand(game)
        cost = self._beat_table(trump).cost
        allowed = bits(game.choices())
        return max(allowed, key=lambda out: (self._value(against, trump, hand & ~out), -cost[out]))

    def _swap_hand(self, game: Game, legal: tuple[Action, ...]) -> Action:
        against = self._opposition(game)
        return legal[self._best_trump(against, self._hand(game))[0] >= self._thresholds.swap]

    def _take_cards(self, game: Game, legal: tuple[Action, ...]) -> Action:
        """Take the dummy unless the hand can go alone (V7). Take the upcard if it makes the hand stronger (V15)."""
        against = self._opposition(game)
        hand = self._hand(game)
        tricks = self._value(against, game.trump, hand)
        if legal[1].kind == "alone":
            return legal[tricks >= self._thresholds.alone]
        return legal[
            self._value(against, game.trump, self._with_card(against, game.trump, hand, self._open_upcard(game)))
            <= tricks
        ]

    def _exchange_cards(self, game: Game, legal: tuple[Action, ...]) -> Action:
        against = self._opposition(game)
        hand = self._hand(game)
        trump = self._likely_trump(game, against)
        whole = self._value(against, trump, hand)
        useless = sum(whole - self._value(against, trump, hand & ~card) < USEFUL for card in bits(hand))
        return legal[min(useless, len(legal) - 1)]

    def _give_card(self, game: Game, legal: tuple[Action, ...]) -> Action:
        card = max(bits(game.choices()), key=self._beat_table(game.trump).cost.__getitem__)
        return self._pack.gives(card)[0]

    def _choose_partner(self, game: Game, legal: tuple[Action, ...]) -> Action:
        """Choose a seat that bid the same suit, or else the seat with the fewest points."""
        bidders = {event.seat for event in game.history if event.action.suit == game.trump}
        return max(legal, key=lambda action: (action.seat in bidders, -game.scores[action.seat or 0]))

    def _choose_leader(self, game: Game, legal: tuple[Action, ...]) -> Action:
        return min(legal, key=lambda action: game.scores[action.seat or 0])


def _follow(table: BeatTable, cards: int, lead: Lead, best: int, *, partner_wins: bool, foes: list[int]) -> int:
    """Win with the cheapest card that holds the trick, or else play the card you would miss least.

    The parameters are those of an `OpenTrick`.
    """
    follow = lead.follow
    beaters = table.beaters[follow]
    cost = table.cost
    winners = cards & beaters[best]
    losers = cards & ~winners
    if losers and partner_wins:
        beat = beaters[best]
        if not any((hand & follow or hand) & beat for hand in foes):
            return min(bits(losers), key=cost.__getitem__)
    if winners:
        to_beat = lead.to_beat
        for card in sorted(bits(winners), key=cost.__getitem__):
            beat = beaters[to_beat[card]]
            if not any((hand & follow or hand) & beat for hand in foes):
                return card
    return min(bits(losers or winners), key=cost.__getitem__)


def _lead(table: BeatTable, cards: int, foes: list[int]) -> int:
    """Lead a master, trumps first while opponents hold some, or else the card that is missed least."""
    cost = table.cost
    masters = 0
    for card in bits(cards):
        follow, beat = table.on_lead[card]
        for hand in foes:
            if (hand & follow or hand) & beat:
                break
        else:
            masters |= card
    if masters:
        trumps = masters & table.trumps
        if trumps and any(hand & table.trumps for hand in foes):
            return max(bits(trumps), key=cost.__getitem__)
        return max(bits(masters & ~trumps or masters), key=cost.__getitem__)
    return min(bits(cards), key=cost.__getitem__)
