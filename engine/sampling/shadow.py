"""Replays of a hand as one seat saw it, with a symbol for each unknown card.

A shadow is a game whose unknown cards are symbols: bits above the pack's own, one for each place of the pack. It goes
through the same phases with the same code. When an unknown card becomes known (because it is played, given to this seat
or turned up), the card replaces its symbol everywhere. When a seat does not follow suit, the symbols in its hand at
that moment cannot stand for a card of that suit. In the end, the remaining symbols and their demands are exactly what
the seat does not know. A new variant therefore needs no code here; its phases determine who had which card.

When another player puts away an unseen card, there are several cases. The card is one of his unknown cards (all are
alike, so this is one case), or it is a known card that he may put away. Each case has its own shadow.

His unknown cards may have different origins (dealt, given, from a dummy), but that does not influence his choice.
Before he chooses, they are mixed: new symbols, all alike, replace them in his hand. The final draw decides which new
symbol is which old one; all ways are equally likely. Cards shuffled in the middle of a hand are mixed, too (V11.5.8).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import factorial, prod
from typing import NamedTuple

from bowerbird.engine.actions import PRIVATE_CARD, Event
from bowerbird.engine.cards.pack import Pack
from bowerbird.engine.errors import EngineError
from bowerbird.engine.game_state import GameState
from bowerbird.engine.phases.base import DECLINE
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.rules import Rules
from bowerbird.engine.views import SeatView

OWN_MEMORY = {"discard": "discarded", "give": "gave"}
"""The kind of memory (`Memory.what`) that a seat has of its own private action, by kind of action."""


class ImpossibleError(Exception):
    """A contradiction between this case and the view of the seat."""


class _Symbols:
    """The source of the current hand's pack: symbols, with the known cards in their places."""

    finite = False

    def __init__(self, order: tuple[int, ...]) -> None:
        self._order = order

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """Return the order of the deal; `Shadow` handles later shuffles. See `PackSource`."""
        return self._order


class Mix(NamedTuple):
    """Cards that can no longer be distinguished: the old symbols and known cards, and the new symbols for all of them.

    Binding a new symbol replaces it here by its card. `ways` is the number of ways to assign the cards to the places of
    the old symbols, without distinguishing places with the same past.
    """

    old: tuple[int, ...]
    known: int
    new: tuple[int, ...]
    ways: int


class Shadow:
    """One possible course of the hand that a view shows. It is also the source of its game's later packs.

    Attributes:
        game: the state, with symbols.
        unbound: the set of cards that have no symbol: those that the seat has not seen, or not since a shuffle.
        allowed: the cards that a symbol can stand for, by symbol; it contains only symbols with a demand.
        mixes: the mixes in order. New symbols of one mix can be old symbols of a later one.
    """

    __slots__ = ("allowed", "fresh", "game", "known", "mixes", "unbound", "view")
    finite = False

    def __init__(
        self,
        view: SeatView,
        game: GameState,
        unbound: int,
        allowed: dict[int, int],
        *,
        mixes: Iterable[Mix] = (),
        fresh: int = 0,
    ) -> None:
        self.view = view
        self.game = game
        self.unbound = unbound
        self.allowed = allowed
        self.mixes = list(mixes)
        self.known = game.rules.pack.whole
        self.fresh = fresh or 2 * game.rules.pack.size  # the lowest bit not used as a symbol yet
        game.source = self

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """Return the order after a shuffle in the middle of a hand: new symbols for all cards. See `PackSource`."""
        return self.mix(sum(cards))

    @classmethod
    def dealt(cls, view: SeatView, rules: Rules) -> Shadow:
        """Return the shadow of the view's hand just after the deal."""
        pack = rules.pack
        plan = rules.plans[view.dealer]
        places = list(rules.recall.places(view, plan))
        if view.upcard and plan.upcard is not None:
            places.append((plan.upcard, view.upcard))
        if view.memory and view.memory[0].what == "dealt":
            places.extend(zip(plan.hands[view.seat](range(pack.size)), view.memory[0].cards, strict=True))
        order = [1 << (pack.size + place) for place in range(pack.size)]
        unbound = pack.whole
        for place, code in places:
            card = unbound & pack.bits[code]
            card &= -card
            unbound ^= card
            order[place] = card
        game = GameState.before_deal(rules, view.dealer, _Symbols(tuple(order)))
        game.hand_number = view.hand_number
        game.scores = rules.recall.scores(view)
        game.games = view.games
        game.lapped = rules.recall.lapped(view)
        game.drops = view.drops
        game.deal(0)
        rules.recall.redealt(view, game)
        shadow = cls(view, game, unbound, {})
        shadow.learn(0)
        return shadow

    def copy(self) -> Shadow:
        """Return an independent case with the same past."""
        return Shadow(self.view, self.game.copy(), self.unbound, dict(self.allowed), mixes=self.mixes, fresh=self.fresh)

    def symbols(self, cards: int) -> Iterator[int]:
        """Yield the symbols in the set `cards`."""
        cards &= ~self.known
        while cards:
            symbol = cards & -cards
            yield symbol
            cards ^= symbol

    def bind(self, symbol: int, code: str) -> int:
        """Replace `symbol` everywhere with a card of `code`; return the card or raise ImpossibleError."""
        card = self.unbound & self.game.rules.pack.bits[code]
        card &= -card
        if not card or not self.allowed.pop(symbol, card) & card:
            raise ImpossibleError
        self.unbound ^= card
        self.game.substitute({symbol: card})
        self.mixes = [
            mix._replace(new=tuple([card if new == symbol else new for new in mix.new])) if symbol in mix.new else mix
            for mix in self.mixes
        ]
        return card

    def mix(self, cards: int) -> tuple[int, ...]:
        """Return new interchangeable symbols for the set `cards`. The known cards among them lose their symbols."""
        new = tuple([1 << (self.fresh + place) for place in range(cards.bit_count())])
        self.fresh += len(new)
        old, known = tuple(self.symbols(cards)), cards & self.known
        ways = factorial(len(old)) // prod(map(factorial, Counter(map(self._past, old)).values()))
        self.mixes.append(Mix(old, known, new, ways))
        self.unbound |= known
        return new

    def _past(self, symbol: int) -> tuple[int, ...]:
        """Return the numbers of the private notes that name `symbol`."""
        return tuple([place for place, (_, _, cards, _) in enumerate(self.game.notes) if cards & symbol])

    def live(self) -> list[int]:
        """Return the symbols that each stand for one unbound card, which are all symbols except the mixed ones."""
        mixed = sum(sum(mix.old) for mix in self.mixes)
        places = [card for order in self.game.orders for card in order]
        places.extend(new for mix in self.mixes for new in mix.new)
        return list(self.symbols(sum(set(places)) & ~mixed))

    def bind_all(self, cards: int, codes: tuple[str, ...]) -> None:
        """Bind the symbols of the set `cards` so that it contains exactly `codes`, or raise ImpossibleError."""
        text = self.game.rules.pack.text
        missing = list(codes)
        for code in text(cards & self.known):
            if code not in missing:
                raise ImpossibleError
            missing.remove(code)
        symbols = list(self.symbols(cards))
        if len(symbols) != len(missing):
            raise ImpossibleError
        for symbol, code in zip(symbols, missing, strict=True):
            self.bind(symbol, code)

    def learn(self, done: int) -> None:
        """Bind the cards that the seat knows after `done` events; raise ImpossibleError on a contradiction."""
        view, game = self.view, self.game
        for seat, codes in game.phase.shown(game, view, done):
            self.bind_all(game.hands[seat], codes)
        memory = view.memory
        if memory and memory[0].what == "dealt":
            if game.dealt[view.seat] & ~self.known:
                self.bind_all(game.dealt[view.seat], memory[0].cards)
            memory = memory[1:]
        mine = [note for note in game.notes if note[0] == view.seat]
        if len(mine) > len(memory):
            raise ImpossibleError
        for place, (_, what, _, _) in enumerate(mine):
            if what != memory[place].what:
                raise ImpossibleError
            current = [note for note in game.notes if note[0] == view.seat][place]
            self.bind_all(current[2], memory[place].cards)

    def follow(self, done: int) -> Iterator[Shadow]:
        """Apply event number `done` and yield the resulting cases. Do not use this object afterwards."""
        event = self.view.history[done]
        self.decline_own_query()
        for case, card in self._cards_of(event):
            try:
                case.make(event, card)
                case.learn(done + 1)
            except ImpossibleError:
                continue
            yield case

    def make(self, event: Event, card: int) -> None:
        """Apply `event`, which moves `card` (0: no card); raise ImpossibleError if it is not this seat's turn."""
        game = self.game
        if game.actor != event.seat:
            raise ImpossibleError
        game.log.append(event)
        game.legal_now = None
        game.actor = game.phase.apply(game, event.action, card)
        if game.actor is None:
            game.advance()

    def told_by_question(self) -> Iterator[Shadow]:
        """Yield the cases in which the actor has the cards that this question implies (`Phase.must_hold`)."""
        game = self.game
        actor = game.actor
        ways = () if actor in (None, self.view.seat) else tuple(game.phase.must_hold(game))
        if actor is None or not ways:
            yield self
            return
        for within, held in ways:
            hand = game.hands[actor]
            if hand & self.known & within & ~held:
                continue
            case = self.copy()
            try:
                for code in game.rules.pack.text(held & ~hand):
                    case.bind(next(case.symbols(case.game.hands[actor])), code)
            except (ImpossibleError, StopIteration):
                continue
            for symbol in case.symbols(case.game.hands[actor]):
                case.allowed[symbol] = case.allowed.get(symbol, case.known) & ~within
            yield case

    def decline_own_query(self) -> None:
        """Decline private queries to the seat of the view; a declined query leaves no event."""
        game = self.game
        while game.phase.private and game.actor == self.view.seat:
            game.actor = game.phase.apply(game, DECLINE, 0)
            if game.actor is None:
                game.advance()

    def _cards_of(self, event: Event) -> Iterator[tuple[Shadow, int]]:
        """Yield (case, card) for each card that `event` may have moved; the card is 0 if it moves none."""
        game = self.game
        action = event.action
        if action.card:
            yield from self._named(action.card)
        elif action.kind not in PRIVATE_CARD:
            yield self, 0
        elif event.seat == self.view.seat:
            what = OWN_MEMORY[action.kind]
            before = sum(owner == event.seat and kind == what for owner, kind, _, _ in game.notes)
            code = [memory for memory in self.view.memory if memory.what == what][before].cards[0]
            yield from self._named(code)
        else:
            holding = self._alike(game.phase.holding(game))
            cases = [card for card in game.rules.pack.cards if card & holding]
            cases.extend(self._demands(holding).values())
            for card in cases:
                yield self.copy(), card

    def _named(self, code: str) -> Iterator[tuple[Shadow, int]]:
        """Yield (case, card) for each way to move a card of `code`; record a void if the actor did not follow suit."""
        game = self.game
        holding = game.phase.holding(game)
        card = holding & game.rules.pack.bits[code]
        if card:
            if self._could_play(card, holding ^ card & -card):
                yield self, card & -card
            return
        holding = self._alike(holding)
        demands = self._demands(holding)
        for symbol in demands.values():
            case = self.copy() if len(demands) > 1 else self
            try:
                card = case.bind(symbol, code)
            except ImpossibleError:
                continue
            if case._could_play(card, holding ^ symbol):
                yield case, card

    def _could_play(self, card: int, others: int) -> bool:
        """Exclude the suit led for the symbols in `others`, the rest of the hand, unless `card` follows suit.

        Return False if this cannot have happened, because a known card of the rest would have had to follow.
        """
        game = self.game
        follow = game.lead.follow if isinstance(game.phase, Tricks) and game.trick else 0
        if follow and not card & follow:
            for symbol in self.symbols(others):
                self.allowed[symbol] = self.allowed.get(symbol, self.known) & ~follow
            return not others & self.known & follow
        return True

    def _demands(self, cards: int) -> dict[int, int]:
        """Return one symbol of the set `cards` for each demand, by the cards that it can stand for."""
        return {self.allowed.get(symbol, self.known): symbol for symbol in self.symbols(cards)}

    def _alike(self, cards: int) -> int:
        """Return the set `cards` after mixing those of its symbols that have equal demands but different pasts."""
        for demand in self._demands(cards):
            unlike = [symbol for symbol in self.symbols(cards) if self.allowed.get(symbol, self.known) == demand]
            if len(set(map(self._past, unlike))) < 2:
                continue
            old, new = sum(unlike), self.mix(sum(unlike))
            self.allowed.update((symbol, demand) for symbol in new if demand != self.known)
            self.game.hands = [hand & ~old | sum(new) if hand & old else hand for hand in self.game.hands]
            cards = cards & ~old | sum(new)
        return cards


def shadows(view: SeatView, rules: Rules) -> list[Shadow]:
    """Return every case of the hand that `view` shows; there is at least one.

    Raises:
        EngineError: the game is over, or no game can look like this view.
    """
    if view.stage == "over":
        raise EngineError("the game of this view is over: nothing is left to be sampled")
    cases = [Shadow.dealt(view, rules)]
    waiting = view.actor is None
    for done in range(len(cases[0].game.log), len(view.history) - waiting):
        cases = [case for before in cases for case in before.follow(done)]
    if waiting:
        cases = [case for before in cases for case in _asked_in_private(before)]
    cases = [case for before in cases for case in before.told_by_question()]
    for case in cases:
        if not (view.actor == view.seat and case.game.phase.stage == view.stage):
            case.decline_own_query()
    cases = [case for case in cases if case.game.view(view.seat) == view]
    if not cases:
        raise EngineError(f"no game of {view.variant} can look like this to seat {view.seat}")
    return cases


def _asked_in_private(before: Shadow) -> Iterator[Shadow]:
    """Yield the cases in which another seat is asked in private after the last event."""
    event = before.view.history[-1]
    before.decline_own_query()
    for case, card in before._cards_of(event):
        game = case.game
        game.log.append(event)
        game.actor = game.phase.apply(game, event.action, card)
        step = game.step + (game.actor is None)
        while game.actor is None and step < len(game.rules.phases):
            phase = game.rules.phases[step]
            if phase.private:
                break
            game.actor = phase.begin(game)
            step += 1
        if game.actor is not None or step == len(game.rules.phases):
            continue
        game.step, game.phase = step, game.rules.phases[step]
        for seat, cards in game.phase.would_ask(game):
            asked = case.copy()
            asked.game.actor = seat
            asked.game.asking = (seat,)
            try:
                for code in game.rules.pack.text(cards & ~game.hands[seat]):
                    asked.bind(next(asked.symbols(asked.game.hands[seat])), code)
            except (ImpossibleError, StopIteration):
                continue
            yield asked
