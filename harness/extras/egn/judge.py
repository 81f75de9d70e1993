"""Plays the deals of an EGN file by the rules of its specification, as far as their cards are known.

It finds who played each card, who won each trick and what each deal scored. It raises EgnError if the file contradicts
itself: a card occurs twice, a suit was not followed, or a score does not follow from the play.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn

from bowerbird.harness.extras.egn import game as egn
from bowerbird.harness.extras.egn.errors import EgnError

HAND = 5
TRICKS = 5
ROUND = 4
"""The number of calls in a round of bidding."""

_LOW = "9T"
_OTHER_BOWER = {"s": "c", "c": "s", "h": "d", "d": "h"}
_WITH_PARTNER, _MARCH = 1, 2
_EUCHRED, _BY_LONE_DEFENDER = 2, 4


@dataclass(frozen=True, slots=True)
class PlayedTrick:
    """Cards in order, each with its seat. `winner` is None if it is not known."""

    cards: tuple[tuple[int, str], ...]
    winner: int | None


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A deal as it was played.

    hands: the known cards dealt to each seat, by seat: all five, or fewer.
    trump, maker: None if no suit was called or it is not known.
    active: the seats that play.
    exchanges: the cards that changed hands.
    put_away: the cards that each seat put away after an exchange, by seat: those that it did not play.
    points: the points of both teams; None if the deal's end is not known.
    missing: a description of what is not known; "" if every card is known.
    """

    deal: egn.Deal
    hands: tuple[tuple[str, ...], ...]
    trump: str | None
    maker: int | None
    active: tuple[int, ...]
    tricks: tuple[PlayedTrick, ...]
    exchanges: tuple[egn.Exchange, ...]
    put_away: tuple[tuple[str, ...], ...]
    points: tuple[int, int] | None
    missing: str

    def low_put_away(self, seat: int) -> tuple[str, ...]:
        """Return the nines and tens that `seat` was dealt and put away."""
        return tuple(card for card in self.put_away[seat] if card in self.hands[seat] and card[0] in _LOW)


@dataclass(frozen=True, slots=True)
class JudgedGame:
    """A game as it was played.

    scores: the score after each deal; None from the first deal whose end is not known.
    missing: the reason why the game is not complete; "" if it is.
    """

    game: egn.EgnGame
    deals: tuple[PlayedDeal, ...]
    scores: tuple[tuple[int, int] | None, ...]
    missing: str

    @property
    def is_whole(self) -> bool:
        """Whether every card, call and score is known, so that our engine can play it."""
        return not self.missing


def judged(game: egn.EgnGame) -> JudgedGame:
    """Return the game with everything that follows from it. Raises EgnError with the field."""
    deals: list[PlayedDeal] = []
    scores: list[tuple[int, int] | None] = []
    score: tuple[int, int] | None = game.initial
    rules = game.rules
    for at, deal in enumerate(game.deals):
        where = f"deals[{at}]"
        if at and deal.number <= game.deals[at - 1].number:
            _fail(f"{where}.dealNumber", f"got {deal.number}, but the deal before has {game.deals[at - 1].number}")
        if rules.target and score is not None and max(score) >= rules.target:
            _fail(where, f"the game had ended at {score[0]} to {score[1]}, with {rules.target} to win")
        if rules.deals and at >= rules.deals:
            _fail(where, f"is one more than num_deals, {rules.deals}")
        played = _Judge(where, deal, rules).played()
        deals.append(played)
        points = played.points
        score = None if score is None or points is None else (score[0] + points[0], score[1] + points[1])
        scores.append(score)
    if game.final is not None and score is not None and game.final != score:
        _fail(
            "metadata.finalScore",
            f"got {game.final[0]} to {game.final[1]}, but the deals add up to {score[0]} to {score[1]}",
        )
    return JudgedGame(game, tuple(deals), tuple(scores), _missing(game, deals, score))


def _missing(game: egn.EgnGame, deals: Sequence[PlayedDeal], score: tuple[int, int] | None) -> str:
    """Return the first reason why our engine cannot play the game, or "" if it can."""
    return next(_reasons(game, deals, score), "")


def _reasons(game: egn.EgnGame, deals: Sequence[PlayedDeal], score: tuple[int, int] | None) -> Iterator[str]:
    rules = game.rules
    yield from (f"deal {played.deal.number}: {played.missing}" for played in deals if played.missing)
    if game.initial != (0, 0):
        yield f"it begins at {game.initial[0]} to {game.initial[1]}"
    for one, other in pairwise(game.deals):
        if other.number != one.number + 1:
            yield f"the deals between {one.number} and {other.number} are missing"
        if other.dealer != (one.dealer + 1) % egn.SEATS:
            yield f"deal {other.number} is dealt by seat {other.dealer}, out of turn"
    if rules.loner_march < 1:
        yield f"a lone march scores {rules.loner_march}, but at least 1 in Bowerbird's euchre"
    if rules.joker and rules.no_trump:
        yield "it has a joker and calls no trumps, but Bowerbird's euchre has only one of the two"
    if rules.loner_euchred not in (2, 4):
        yield f"a euchred loner costs {rules.loner_euchred}, but 2 or 4 in Bowerbird's euchre"
    if any(played.deal.discard == played.deal.upcard for played in deals):
        yield "a dealer discards the upcard, which Bowerbird's euchre forbids"
    for played in deals:
        seats = [one.receiver for one in played.exchanges if one.sender is None and not played.missing]
        if any(len(played.low_put_away(seat)) < egn.WENT_UNDER for seat in seats):
            yield f"in deal {played.deal.number} seat {seats[0]} goes under with cards other than nines and tens"
    is_won = bool(rules.target) and score is not None and max(score) >= rules.target
    if not (is_won or (rules.deals and len(deals) == rules.deals)):
        yield "the game is not played to its end"


def _fail(where: str, what: str) -> NoReturn:
    raise EgnError(f"{where}: {what}")


class _Judge:
    """Plays one deal."""

    def __init__(self, where: str, deal: egn.Deal, rules: egn.Ruleset) -> None:
        self._where = where
        self._deal = deal
        self._rules = rules
        self._gaps: list[str] = []

    def played(self) -> PlayedDeal:
        deal = self._deal
        maker, trump = self._bidding()
        active = self._active(maker)
        upcard = self._resolved(deal.upcard, trump)
        if not egn.is_known(upcard):
            self._gaps.append("the upcard is not known")
        if upcard == egn.JOKER:
            self._gaps.append("the upcard is the joker, and EGN does not say what its suit is called")
        given = tuple(tuple(self._resolved(card, trump) for card in hand) for hand in deal.hands)
        self._check_hands(given, upcard)
        exchanges = tuple(self._exchanges(maker, trump))
        tricks = tuple(self._tricks(trump, active, maker)) if trump is not None and maker is not None else ()
        if tricks == () and deal.tricks:
            if trump is None and maker is None:
                _fail(f"{self._where}.phases[1]", "cards are played, but nobody called a suit")
            self._gaps.append("the trumps are not known")
        hands = self._hands(given, tricks, upcard, trump, exchanges)
        if trump is not None and maker is not None:
            self._check_following(tricks, hands, upcard, trump, exchanges)
        points = self._points(maker, trump, tricks)
        if points is None and not self._gaps:
            self._gaps.append("it is not played to its end")
        self._note_gaps(hands)
        put_away = (
            tuple(self._put_away(hands, upcard, tricks, exchanges, trump)) if not self._gaps else ((),) * egn.SEATS
        )
        missing = self._gaps[0] if self._gaps else ""
        return PlayedDeal(deal, hands, trump, maker, active, tricks, exchanges, put_away, points, missing)

    def _exchanges(self, maker: int | None, trump: str | None) -> Iterator[egn.Exchange]:
        """Check and yield the cards that changed hands."""
        for at, one in enumerate(self._deal.exchanges):
            where = f"{self._where}.phases[0].cardExchanges[{at}]"
            if one.sender is None:
                is_allowed = self._rules.go_under and len(one.cards) == egn.WENT_UNDER
            else:
                is_allowed = self._rules.partners_best and self._deal.is_alone and len(one.cards) == 1
                is_allowed &= maker is not None and (one.receiver, one.sender) == (maker, (maker + 2) % egn.SEATS)
            others = self._deal.exchanges[:at]
            if not is_allowed or any((one.sender is None) == (other.sender is None) for other in others):
                _fail(where, "cards change hands, which no rule of the game allows")
            cards = tuple(self._resolved(card, trump) for card in one.cards)
            if not all(map(egn.is_known, cards)):
                self._gaps.append("the cards that changed hands are not known")
            yield egn.Exchange(one.sender, one.receiver, cards)

    def _put_away(
        self,
        hands: Sequence[Sequence[str]],
        upcard: str,
        tricks: Sequence[PlayedTrick],
        exchanges: Sequence[egn.Exchange],
        trump: str | None,
    ) -> Iterator[tuple[str, ...]]:
        """Yield, for each seat that took part in all tricks, the cards that it put away after an exchange."""
        deal = self._deal
        played = [
            {card for trick in tricks for player, card in trick.cards if player == seat} for seat in range(egn.SEATS)
        ]
        for seat in range(egn.SEATS):
            held = [*hands[seat], *(card for one in exchanges if one.receiver == seat for card in one.cards)]
            for one in exchanges:
                if one.sender == seat:
                    held = [card for card in held if card not in one.cards]
            if deal.calls and deal.calls[-1] == egn.ORDER and seat == deal.dealer:
                gone = {self._resolved(deal.discard, trump) if deal.discard is not None else ""}
                given = {card for one in exchanges if one.sender == seat for card in one.cards}
                held = [card for card in [*held, *({upcard} - given)] if card not in gone]
            yield tuple(card for card in held if card not in played[seat])

    def _bidding(self) -> tuple[int | None, str | None]:
        """Return maker and trumps. Each is None if there is none or it is not known."""
        deal, where = self._deal, f"{self._where}.phases[0]"
        if deal.calls is None:
            self._gaps.append("the bidding is not recorded")
            return None, None
        if len(deal.calls) > 2 * ROUND:
            _fail(f"{where}.calls", f"got {len(deal.calls)} calls; must be at most two rounds of {ROUND}")
        made = [at for at, call in enumerate(deal.calls) if call != egn.PASS]
        if made and made[0] != len(deal.calls) - 1:
            _fail(f"{where}.calls[{made[0] + 1}]", "follows the call that made trumps")
        if not made:
            self._check_passed(where)
            return None, None
        at, call = made[0], deal.calls[-1]
        maker = (deal.dealer + 1 + at) % egn.SEATS
        suit = deal.upcard[1:] if egn.is_known(deal.upcard) and deal.upcard != egn.JOKER else "x"
        if (call == egn.ORDER) != (at < ROUND) and call != "x":
            _fail(f"{where}.calls[{at}]", f'is "{call}" in round {1 if at < ROUND else 2} of the bidding')
        if call == egn.NO_TRUMP_IN_EGN and not self._rules.no_trump:
            _fail(f"{where}.calls[{at}]", "calls no trumps, which the ruleset does not allow")
        if call == suit:
            _fail(f"{where}.calls[{at}]", "calls the suit of the upcard, which was turned down")
        if deal.discard is not None and call != egn.ORDER:
            _fail(f"{where}.discard", "is given, but nobody ordered the upcard")
        if self._rules.canadian and call == egn.ORDER and at == 1 and not deal.is_alone:
            _fail(f"{where}.isAlone", "is false, but under the rule canadian the dealer's partner plays alone")
        trump = suit if call == egn.ORDER else egn.NO_TRUMP if call == egn.NO_TRUMP_IN_EGN else call
        if trump == "x":
            self._gaps.append("the trumps are not known")
        return maker, None if trump == "x" else trump

    def _check_passed(self, where: str) -> None:
        """Check a bidding in which nobody called."""
        deal = self._deal
        calls = deal.calls or ()
        if deal.is_alone:
            _fail(f"{where}.isAlone", "is true, but nobody called a suit")
        if deal.discard is not None:
            _fail(f"{where}.discard", "is given, but nobody ordered the upcard")
        if len(calls) == 2 * ROUND and self._rules.stick_dealer:
            _fail(f"{where}.calls[7]", "passes, but under the rule std the dealer must name a suit")
        if len(calls) < 2 * ROUND:
            self._gaps.append("the bidding is not recorded to its end")

    def _active(self, maker: int | None) -> tuple[int, ...]:
        deal, where = self._deal, f"{self._where}.phases[0].aloneDefender"
        out = set()
        if maker is not None and deal.is_alone:
            out.add((maker + 2) % egn.SEATS)
        if deal.lone_defender is not None:
            if not (self._rules.defend_alone and deal.is_alone):
                _fail(where, f"got seat {deal.lone_defender}, but nobody may defend alone here")
            if maker is None or (deal.lone_defender - maker) % 2 == 0:
                _fail(where, f"got seat {deal.lone_defender}; must be a defender")
            out.add((deal.lone_defender + 2) % egn.SEATS)
        return tuple(seat for seat in range(egn.SEATS) if seat not in out)

    def _resolved(self, card: str, trump: str | None) -> str:
        """Return a bower as its jack if the trumps are known."""
        if card == egn.JOKER and self._rules.joker:
            return egn.JOKER
        if card == egn.JOKER or card[0] in "78":
            written = egn.JOKER_IN_EGN if card == egn.JOKER else card
            _fail(self._where, f"has the card {written}, which is not in the pack of 24")
        if card in ("R", "L") and trump == egn.NO_TRUMP:
            _fail(self._where, f"has the card {card}, but there are no bowers at no trumps")
        if card == "R":
            return f"J{trump}" if trump is not None else "xx"
        if card == "L":
            return f"J{_OTHER_BOWER[trump]}" if trump is not None else "xx"
        return card

    def _check_hands(self, given: Sequence[Sequence[str]], upcard: str) -> None:
        seen: set[str] = {upcard} if egn.is_known(upcard) else set()
        for seat, hand in enumerate(given):
            where = f"{self._where}.initialState.playerCards[{seat}]"
            if len(hand) > HAND:
                _fail(where, f"got {len(hand)} cards; must be {HAND}")
            for card in filter(egn.is_known, hand):
                if card in seen:
                    _fail(where, f"has {card}, which is already elsewhere")
                seen.add(card)

    def _tricks(self, trump: str, active: tuple[int, ...], maker: int) -> Iterator[PlayedTrick]:
        deal = self._deal
        told = deal.tricks or ()
        if len(told) > TRICKS:
            _fail(f"{self._where}.phases[1].tricks", f"got {len(told)} tricks; must be at most {TRICKS}")
        leader: int | None = self._first_leader(active, maker)
        seen: set[str] = set()
        for at, cards in enumerate(told):
            where = f"{self._where}.phases[1].tricks[{at}]"
            if len(cards) > len(active) or (len(cards) < len(active) and at < len(told) - 1):
                _fail(where, f"got {len(cards)} cards, but {len(active)} players take part")
            if leader is None:
                self._gaps.append(f"the winner of trick {at} is not known")
                return
            resolved = [self._resolved(card, trump) for card in cards]
            for card in filter(egn.is_known, resolved):
                if card in seen:
                    _fail(where, f"plays {card} again")
                seen.add(card)
            order = [seat for seat in ((leader + step) % egn.SEATS for step in range(egn.SEATS)) if seat in active]
            played = tuple(zip(order, resolved, strict=False))
            leader = _winner(played, trump) if len(played) == len(active) else None
            yield PlayedTrick(played, leader)

    def _first_leader(self, active: tuple[int, ...], maker: int) -> int:
        deal = self._deal
        begin = maker if deal.is_alone and self._rules.loner_lead == egn.LEFT_OF_LONER_LEADS else deal.dealer
        return next(seat for seat in ((begin + step) % egn.SEATS for step in range(1, 1 + egn.SEATS)) if seat in active)

    def _hands(
        self,
        given: Sequence[Sequence[str]],
        tricks: Sequence[PlayedTrick],
        upcard: str,
        trump: str | None,
        exchanges: Sequence[egn.Exchange],
    ) -> tuple[tuple[str, ...], ...]:
        """Return as much of the dealt hands as follows from the file. Checks that each seat played its own cards."""
        deal = self._deal
        is_ordered = bool(deal.calls) and deal.calls is not None and deal.calls[-1] == egn.ORDER
        discard = None if deal.discard is None else self._resolved(deal.discard, trump)
        hands = [list(hand) for hand in given]
        plays = [
            (f"{self._where}.phases[1].tricks[{at}]", *one) for at, trick in enumerate(tricks) for one in trick.cards
        ]
        if discard is not None and egn.is_known(discard):
            plays.append((f"{self._where}.phases[0].discard", deal.dealer, discard))
            if any(card == discard for _, _, card in plays[:-1]):
                _fail(f"{self._where}.phases[0].discard", f"is {discard}, which is played later")
        received = [
            {card for one in exchanges if one.receiver == seat for card in one.cards} for seat in range(egn.SEATS)
        ]
        plays[:0] = self._gifts(exchanges, hands, upcard)
        for where, seat, card in plays:
            if not egn.is_known(card):
                continue
            if card in received[seat]:
                continue
            if card == upcard:
                if not (is_ordered and seat == deal.dealer):
                    _fail(where, f"has the upcard {card} with seat {seat}, who does not have it")
                continue
            if card in hands[seat]:
                continue
            if any(card in hand for hand in hands) or (
                len(hands[seat]) >= HAND and all(map(egn.is_known, hands[seat]))
            ):
                _fail(where, f"has {card} with seat {seat}, who does not have it")
            self._put(hands[seat], card, where, seat)
        return tuple(map(tuple, hands))

    def _gifts(
        self, exchanges: Sequence[egn.Exchange], hands: Sequence[Sequence[str]], upcard: str
    ) -> Iterator[tuple[str, int, str]]:
        """Yield the cards that partners gave, as if they had played them. Checks the source of the others."""
        for at, one in enumerate(exchanges):
            where = f"{self._where}.phases[0].cardExchanges[{at}]"
            for card in filter(egn.is_known, one.cards):
                if one.sender is not None:
                    yield where, one.sender, card
                elif card == upcard or any(card in hand for hand in hands):
                    _fail(where, f"has {card} from the kitty, but it is elsewhere")

    @staticmethod
    def _put(hand: list[str], card: str, where: str, seat: int) -> None:
        """Add a card to a hand, in place of an unknown one if the hand is full."""
        if len(hand) < HAND:
            hand.append(card)
            return
        unknown = next((at for at, one in enumerate(hand) if not egn.is_known(one)), None)
        if unknown is None:
            _fail(where, f"has {card} with seat {seat}, who holds {HAND} other cards")
        hand[unknown] = card

    def _check_following(
        self,
        tricks: Sequence[PlayedTrick],
        hands: Sequence[Sequence[str]],
        upcard: str,
        trump: str,
        exchanges: Sequence[egn.Exchange],
    ) -> None:
        """Check that every seat followed suit, as far as the cards in hand are known."""
        deal = self._deal
        held = [{card for card in hand if egn.is_known(card)} for hand in hands]
        if deal.calls and deal.calls[-1] == egn.ORDER:
            held[deal.dealer].add(upcard)
            if deal.discard is None:  # one card is gone, which is known only if it is not played
                held[deal.dealer] &= {card for trick in tricks for _, card in trick.cards}
            else:
                held[deal.dealer].discard(self._resolved(deal.discard, trump))
        for one in exchanges:  # the cards that the receiver put away are known only after the last trick
            held[one.receiver] |= set(one.cards)
            held[one.receiver] &= {card for trick in tricks for _, card in trick.cards}
        for at, trick in enumerate(tricks):
            led = _suit(trick.cards[0][1], trump) if trick.cards else None
            for seat, card in trick.cards:
                held[seat].discard(card)
                if led is None or not egn.is_known(card) or _suit(card, trump) == led:
                    continue
                kept = sorted(one for one in held[seat] if _suit(one, trump) == led)
                if kept:
                    where = f"{self._where}.phases[1].tricks[{at}]"
                    _fail(where, f"has {card} with seat {seat}, who holds {kept[0]} and must follow suit")

    def _points(self, maker: int | None, trump: str | None, tricks: Sequence[PlayedTrick]) -> tuple[int, int] | None:
        deal = self._deal
        if maker is None:
            return (0, 0) if deal.calls is not None and len(deal.calls) == 2 * ROUND else None
        winners = [trick.winner for trick in tricks]
        if trump is None or len(winners) < TRICKS or None in winners:
            return None
        won = sum((winner - maker) % 2 == 0 for winner in winners if winner is not None)
        makers, defenders = 0, 0
        if won == TRICKS:
            makers = self._rules.loner_march if deal.is_alone else _MARCH
        elif won >= 3:
            makers = _WITH_PARTNER
        elif deal.lone_defender is not None:
            defenders = _BY_LONE_DEFENDER
        else:
            defenders = self._rules.loner_euchred if deal.is_alone else _EUCHRED
        return (makers, defenders) if maker % 2 == 0 else (defenders, makers)

    def _note_gaps(self, hands: Sequence[Sequence[str]]) -> None:
        deal = self._deal
        if any(len(hand) < HAND or not all(map(egn.is_known, hand)) for hand in hands):
            self._gaps.append("not every hand is known")
        if deal.calls and deal.calls[-1] == egn.ORDER and (deal.discard is None or not egn.is_known(deal.discard)):
            self._gaps.append("the discard is not known")


def _suit(card: str, trump: str) -> str | None:
    """Return the suit that a card belongs to, or None if it is not known."""
    if card == egn.JOKER:
        return trump
    rank, suit = card[0], card[1]
    if rank == "J" and suit == _OTHER_BOWER.get(trump):
        return trump
    if suit == "x" or (rank == "x" and suit == _OTHER_BOWER.get(trump)):
        return None  # it could be the left bower
    return suit


def _winner(cards: Sequence[tuple[int, str]], trump: str) -> int | None:
    """Return the seat that wins a trick, or None if unknown cards leave that open."""
    led = _suit(cards[0][1], trump)
    if led is None or any(not egn.is_known(card) and _suit(card, trump) in (None, led, trump) for _, card in cards):
        return None
    return max(cards, key=lambda one: _strength(one[1], led, trump))[0]


def _strength(card: str, led: str, trump: str) -> int:
    suit = _suit(card, trump)
    if suit == trump:
        if card == egn.JOKER:
            return 400
        if card[0] == "J":
            return 300 if card[1] == trump else 200
        return 100 + egn.RANKS.index(card[0])
    return 50 + egn.RANKS.index(card[0]) if suit == led and egn.is_known(card) else 0
