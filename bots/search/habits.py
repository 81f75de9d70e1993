"""A quick, sound player for all seats of a game that a search has made up: what rollouts are played by.

It plays a trick knowing the cards of all, as one may in a made-up world, and looks no further than that trick. Its
calls know the own hand alone; their thresholds are those of the greedy bot (`bots.greedy.temper`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bots.greedy.calling import chance_to_make
from bots.greedy.ranking import SUITS, bits
from bots.greedy.staying import FEWER
from bots.greedy.temper import temper_of
from bots.search.beating import Beating
from bots.search.estimate import Estimate
from engine import Action, Game, OptionValue, rules_of

USELESS = 0.3
"""A card that brings less than this many tricks is exchanged for an unknown one."""


class Habits:
    """Chooses for whoever is to decide in a game; the same for equal games. One object serves one game's rules."""

    def __init__(self, variant: str, options: Mapping[str, OptionValue]) -> None:
        """For games of this variant with these options, every one resolved."""
        rules = rules_of(variant).rules(options)
        self._pack = rules.pack
        self._temper = temper_of(variant)
        self._beating: dict[str, Beating] = {}
        self._estimates: dict[tuple[str, int, int], Estimate] = {}
        self._by_kind: dict[str, Callable[[Game, tuple[Action, ...]], Action]] = {
            "play": self._play,
            "dictate": self._dictate,
            "order": self._accept,
            "call": self._name,
            "bid": self._bid,
            "alone": self._alone_or_not,
            "defend": self._defend,
            "claim": self._first,
            "stay": self._stay_or_drop,
            "discard": self._discard,
            "swap": self._swap,
            "take": self._take,
            "exchange": self._exchange,
            "ask": self._first,
            "give": self._give,
            "partner": self._partner,
            "lead": self._leader,
        }

    def choose(self, game: Game) -> Action:
        """One of the legal actions of `game.actor`."""
        legal = game.legal_actions()
        if len(legal) == 1:
            return legal[0]
        kind = legal[0].kind
        return self._by_kind[kind if kind != "pass" else legal[1].kind](game, legal)

    # The play.

    def beating(self, trump: str) -> Beating:
        """The cards under a trump."""
        found = self._beating.get(trump)
        if found is None:
            found = self._beating[trump] = Beating(self._pack, trump)
        return found

    def _play(self, game: Game, legal: tuple[Action, ...]) -> Action:
        table = self.beating(game.trump)
        cards = game.phase.choices(game)
        card = self._follow(game, table, cards) if game.trick else self._lead(game, table, cards)
        return self._pack.plays(card)[0]

    def _follow(self, game: Game, table: Beating, cards: int) -> int:
        """Win as cheaply as the trick can be held, else throw what is missed least."""
        lead = game.lead
        follow = lead.follow
        over = table.over[follow]
        cost = table.cost
        winners = cards & over[game.best]
        losers = cards & ~winners
        seat = game.actor
        assert seat is not None
        foes = self._foes_to_come(game, seat)
        sides = game.sides
        if losers and sides[game.winning] == sides[seat]:
            beat = over[game.best]
            if not any((hand & follow or hand) & beat for hand in foes):
                return min(bits(losers), key=cost.__getitem__)
        if winners:
            strength = lead.strength
            for card in sorted(bits(winners), key=cost.__getitem__):
                beat = over[strength[card]]
                if not any((hand & follow or hand) & beat for hand in foes):
                    return card
        return min(bits(losers or winners), key=cost.__getitem__)

    @staticmethod
    def _foes_to_come(game: Game, seat: int) -> list[int]:
        """The cards of each opponent who plays to this trick after a seat."""
        after = game.after
        sides = game.sides
        hands = game.hands
        laid = game.laid
        found = []
        other = after[seat]
        while other != game.leader:
            if sides[other] != sides[seat]:
                found.append(hands[other] | laid[other] if laid else hands[other])
            other = after[other]
        return found

    def _lead(self, game: Game, table: Beating, cards: int) -> int:
        """Lead what cannot be beaten, trumps first while opponents have some; else what is missed least."""
        seat = game.actor
        assert seat is not None
        foes = self._foes_to_come(game, seat)
        cost = table.cost
        sure = 0
        for card in bits(cards):
            follow, beat = table.against[card]
            for hand in foes:
                if (hand & follow or hand) & beat:
                    break
            else:
                sure |= card
        if sure:
            trumps = sure & table.trumps
            if trumps and any(hand & table.trumps for hand in foes):
                return max(bits(trumps), key=cost.__getitem__)
            return max(bits(sure & ~trumps or sure), key=cost.__getitem__)
        return min(bits(cards), key=cost.__getitem__)

    def _dictate(self, game: Game, legal: tuple[Action, ...]) -> Action:
        """Of the Jambone player's cards (V4.5.5) the strongest that loses; if all win, the weakest."""
        table = self.beating(game.trump)
        cards = game.phase.choices(game)
        losers = cards & ~table.over[game.lead.follow][game.best] if game.trick else 0
        card = max(bits(losers), key=table.cost.__getitem__) if losers else min(bits(cards), key=table.cost.__getitem__)
        return self._pack.dictates(card)[0]

    # What a hand is worth.

    def _value(self, game: Game, trump: str, hand: int) -> float:
        """Tricks that the actor would take with a hand under a trump."""
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
        key = (trump, opponents, each)
        found = self._estimates.get(key)
        if found is None:
            found = self._estimates[key] = Estimate(self._pack, *key)
        return found.tricks(hand)

    def _with_card(self, game: Game, trump: str, hand: int, card: int) -> int:
        """The hand after taking a card and discarding another one, the worst."""
        both = hand | card
        if not card or not hand:
            return both
        return max((both & ~out for out in bits(hand)), key=lambda kept: self._value(game, trump, kept))

    @staticmethod
    def _hand(game: Game) -> int:
        seat = game.actor
        assert seat is not None
        return game.hands[seat] | game.laid[seat] if game.laid else game.hands[seat]

    @staticmethod
    def _upcard(game: Game) -> int:
        return game.upcard if game.upcard_place == "up" else 0

    def _best(self, game: Game, hand: int) -> tuple[float, str]:
        """The most tricks that a hand can expect, and under which trump."""
        suits = (*SUITS, "nt") if self._temper.names_no_trump else SUITS
        return max(((self._value(game, trump, hand), trump) for trump in suits), key=lambda pair: pair[0])

    # Calls.

    def _accept(self, game: Game, legal: tuple[Action, ...]) -> Action:
        hand = self._hand(game)
        card = self._upcard(game)
        if self._temper.names_any_suit:
            tricks = max(self._value(game, trump, self._with_card(game, trump, hand, card)) for trump in SUITS)
        else:
            tricks = self._if_accepted(game, game.proposed or self._pack.code[game.upcard][1], hand, card)
        return self._with_how(legal, [action for action in legal if action.kind == "order"], tricks, self._temper.order)

    def _if_accepted(self, game: Game, trump: str, hand: int, card: int) -> float:
        """See `bots.greedy.strength.if_accepted`."""
        if game.actor == game.dealer:
            return self._value(game, trump, self._with_card(game, trump, hand, card))
        worth = self._value(game, trump, card) if card else 0.0
        assert game.actor is not None
        helps = 0.7 if game.sides[game.dealer] == game.sides[game.actor] else -0.5
        return self._value(game, trump, hand) + helps * worth

    def _name(self, game: Game, legal: tuple[Action, ...]) -> Action:
        hand = self._hand(game)
        calls = [action for action in legal if action.kind == "call"]
        worth = {suit: self._value(game, suit, hand) for suit in {action.suit for action in calls}}
        best = max(calls, key=lambda action: worth[action.suit]).suit
        return self._with_how(legal, [a for a in calls if a.suit == best], worth[best], self._temper.name)

    def _with_how(self, legal: tuple[Action, ...], offers: list[Action], tricks: float, threshold: float) -> Action:
        by_how = {action.how: action for action in reversed(offers)}
        if tricks >= self._temper.alone and "alone" in by_how:
            return by_how["alone"]
        if legal[0].kind == "pass" and (tricks < threshold or "" not in by_how):
            return legal[0]
        return by_how.get("", offers[0])

    def _bid(self, game: Game, legal: tuple[Action, ...]) -> Action:
        """Bids that name a suit are stakes, others are contracts that only win the auction."""
        bids = [action for action in legal if action.kind == "bid"]
        hand = self._hand(game)
        if bids[0].suit:
            return self._stake(game, legal[0], bids, hand)
        tricks = self._best(game, hand)[0]
        card = self._upcard(game) if self._temper.takes_upcard else 0
        if card:
            tricks = max(tricks, *(self._value(game, t, self._with_card(game, t, hand, card)) for t in SUITS))
        if legal[0].kind == "pass" and tricks < (bids[0].number or 0) + self._temper.caution:
            return legal[0]
        return bids[0]

    def _stake(self, game: Game, passing: Action, bids: list[Action], hand: int) -> Action:
        temper = self._temper
        best, most = passing, 0.0
        tricks, suit = self._best(game, hand)
        for action in bids:
            if action.suit != suit:
                continue
            number = action.number or 0
            needed, partners, widow = temper.ladder[number]
            expected = tricks + temper.partner * partners + (temper.widow if widow else 0.0)
            balance = number * (2.0 * chance_to_make(expected - needed) - 1.0)
            if balance > most:
                best, most = action, balance
        return best

    def _alone_or_not(self, game: Game, legal: tuple[Action, ...]) -> Action:
        return legal[self._value(game, game.trump, self._hand(game)) < self._temper.alone]

    def _defend(self, game: Game, legal: tuple[Action, ...]) -> Action:
        return legal[self._value(game, game.trump, self._hand(game)) < self._temper.defend]

    def _stay_or_drop(self, game: Game, legal: tuple[Action, ...]) -> Action:
        foes = len(game.active) - 1
        needed = self._temper.stay + FEWER.get(foes, 0.0)
        return legal[self._value(game, game.trump, self._hand(game)) < needed]

    def _first(self, game: Game, legal: tuple[Action, ...]) -> Action:
        return legal[0]

    # Cards that change place.

    def _likely_trump(self, game: Game) -> str:
        return game.trump or self._best(game, self._hand(game))[1]

    def _discard(self, game: Game, legal: tuple[Action, ...]) -> Action:
        """What the hand misses least."""
        trump = self._likely_trump(game)
        hand = self._hand(game)
        cost = self.beating(trump).cost
        allowed = bits(game.phase.choices(game))
        card = max(allowed, key=lambda out: (self._value(game, trump, hand & ~out), -cost[out]))
        return self._pack.discards(card)[0]

    def _swap(self, game: Game, legal: tuple[Action, ...]) -> Action:
        return legal[self._best(game, self._hand(game))[0] >= self._temper.swap]

    def _take(self, game: Game, legal: tuple[Action, ...]) -> Action:
        """The dummy unless the hand can go alone (V7); the upcard when it makes the hand stronger (V15)."""
        hand = self._hand(game)
        tricks = self._value(game, game.trump, hand)
        if legal[1].kind == "alone":
            return legal[tricks >= self._temper.alone]
        return legal[
            self._value(game, game.trump, self._with_card(game, game.trump, hand, self._upcard(game))) <= tricks
        ]

    def _exchange(self, game: Game, legal: tuple[Action, ...]) -> Action:
        hand = self._hand(game)
        trump = self._likely_trump(game)
        whole = self._value(game, trump, hand)
        useless = sum(whole - self._value(game, trump, hand & ~card) < USELESS for card in bits(hand))
        return legal[min(useless, len(legal) - 1)]

    def _give(self, game: Game, legal: tuple[Action, ...]) -> Action:
        card = max(bits(game.phase.choices(game)), key=self.beating(game.trump).cost.__getitem__)
        return self._pack.gives(card)[0]

    def _partner(self, game: Game, legal: tuple[Action, ...]) -> Action:
        """Who bid the same suit, then who has the fewest points."""
        told = {event.seat for event in game.log if event.action.suit == game.trump}
        return max(legal, key=lambda action: (action.seat in told, -game.scores[action.seat or 0]))

    def _leader(self, game: Game, legal: tuple[Action, ...]) -> Action:
        return min(legal, key=lambda action: game.scores[action.seat or 0])
