"""A hand played again from what one seat saw, with a symbol wherever it does not know the card.

A shadow is a game whose unknown cards are symbols: bits above the pack's own, one for each place of the pack. It walks
through the same phases by the same code. When an unknown card becomes known (it is played, given to this seat, turned
up) its symbol is replaced by the card everywhere; when a seat does not follow suit, the symbols then in its hand may
not stand for a card of that suit. What is left at the end are symbols with demands, and that is all that the seat
does not know. So a new variant needs nothing here: its phases say who held what.

Where somebody else put away a card unseen, it may have been one of his unknown cards (all alike: one case) or one that
is known to have been his, if the rules let him: each is a case of its own, a shadow of its own.

His unknown cards may differ in where they came from (dealt, given, from a dummy). That does not matter for what he does
with them: before he chooses they are mixed, which means that new symbols, all alike, stand for them in his hand, and
which new one is which old one is drawn in the end, any way as likely as another. So are cards that are shuffled in
mid-hand (V11.5.8).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import factorial, prod
from typing import TYPE_CHECKING, NamedTuple

from engine.actions import PRIVATE_CARD, Event
from engine.errors import EngineError
from engine.game import Game
from engine.phases.base import DECLINE
from engine.phases.tricks import Tricks

if TYPE_CHECKING:
    from engine.cards import Pack
    from engine.rules import Rules
    from engine.views import SeatView

OWN_MEMORY = {"discard": "discarded", "give": "gave"}
"""What a seat remembers of its own private action."""


class ImpossibleError(Exception):
    """This case contradicts what the seat saw."""


class _Symbols:
    """The pack of the hand on the table as it was dealt: symbols, with the known cards in their places."""

    finite = False

    def __init__(self, order: tuple[int, ...]) -> None:
        self._order = order

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """See `PackSource`; this is the deal, of later shuffles see `Shadow`."""
        return self._order


class Mix(NamedTuple):
    """Cards that cannot be told apart any more: the old symbols and known cards, and the new symbols for all of them.

    A new symbol that is bound is replaced here by its card. `ways` is how many ways there are to say which of the cards
    lie where the old symbols lay, places with the same past not being told apart.
    """

    old: tuple[int, ...]
    known: int
    new: tuple[int, ...]
    ways: int


class Shadow:
    """One case of what may have happened in the hand that a view shows. It is the source of its game's later packs.

    Attributes:
        game: the state, with symbols.
        unbound: the cards that stand for no symbol yet: those which the seat has not seen, or not since a shuffle.
        allowed: for symbols with a demand, the cards they may stand for.
        mixes: what has been mixed, in order; the new symbols of one may be old ones of a later.
    """

    __slots__ = ("allowed", "fresh", "game", "known", "mixes", "unbound", "view")
    finite = False

    def __init__(
        self,
        view: SeatView,
        game: Game,
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
        self.fresh = fresh or 2 * game.rules.pack.size  # the next bit that is no symbol yet
        game.source = self

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """The order after a shuffle in mid-hand: nobody knows anything of it. See `PackSource`."""
        return self.mix(sum(cards))

    @classmethod
    def dealt(cls, view: SeatView, rules: Rules) -> Shadow:
        """The hand of the view as it was dealt."""
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
        game = Game()
        game.rules = rules
        game.source = _Symbols(tuple(order))
        game.hand_number = view.hand_number
        game.dealer = view.dealer
        game.scores = rules.recall.scores(view)
        game.games = view.games
        game.drops = view.drops
        game.winners = ()
        game.ended = ""
        game.results = ()
        game.deal(0)
        rules.recall.redealt(view, game)
        shadow = cls(view, game, unbound, {})
        shadow.learn(0)
        return shadow

    def copy(self) -> Shadow:
        """An independent case with the same past."""
        return Shadow(self.view, self.game.copy(), self.unbound, dict(self.allowed), mixes=self.mixes, fresh=self.fresh)

    def symbols(self, cards: int) -> Iterator[int]:
        """The symbols in a set."""
        cards &= ~self.known
        while cards:
            symbol = cards & -cards
            yield symbol
            cards ^= symbol

    def bind(self, symbol: int, code: str) -> int:
        """From now on this symbol is that card, everywhere; the card. Raises ImpossibleError."""
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
        """New symbols, all alike, for the cards of a set; from now on they are what is bound."""
        new = tuple([1 << (self.fresh + place) for place in range(cards.bit_count())])
        self.fresh += len(new)
        old, known = tuple(self.symbols(cards)), cards & self.known
        ways = factorial(len(old)) // prod(map(factorial, Counter(map(self._past, old)).values()))
        self.mixes.append(Mix(old, known, new, ways))
        self.unbound |= known
        return new

    def _past(self, symbol: int) -> tuple[int, ...]:
        """Where the private notes of this hand name a symbol."""
        return tuple([place for place, (_, _, cards, _) in enumerate(self.game.notes) if cards & symbol])

    def live(self) -> list[int]:
        """The symbols that stand for one of the unbound cards each: all but those that have been mixed."""
        mixed = sum(sum(mix.old) for mix in self.mixes)
        places = [card for order in self.game.orders for card in order]
        places.extend(new for mix in self.mixes for new in mix.new)
        return list(self.symbols(sum(set(places)) & ~mixed))

    def bind_all(self, cards: int, codes: tuple[str, ...]) -> None:
        """The set holds exactly these cards; its symbols are those that are not known yet. Raises ImpossibleError."""
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
        """Name the cards that the seat has come to know by the event before number `done`. Raises ImpossibleError."""
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
        """Make the event of this number; the cases that come of it (this object is used up)."""
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
        """Make an event with the card it moves, 0 if none."""
        game = self.game
        if game.actor != event.seat:
            raise ImpossibleError
        game.log.append(event)
        game.legal_now = None
        game.actor = game.phase.apply(game, event.action, card)
        if game.actor is None:
            game.advance()

    def decline_own_query(self) -> None:
        """A private query to this seat that left no event was declined."""
        game = self.game
        while game.phase.private and game.actor == self.view.seat:
            game.actor = game.phase.apply(game, DECLINE, 0)
            if game.actor is None:
                game.advance()

    def _cards_of(self, event: Event) -> Iterator[tuple[Shadow, int]]:
        """The cases of which card an event moves, each with the card (0: none)."""
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
        """The cases in which the actor moves the card of this code, with it; notes a void when he did not follow."""
        game = self.game
        holding = game.phase.holding(game)
        card = holding & game.rules.pack.bits[code]
        if card:
            self._note_void(card, holding)
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
            case._note_void(card, holding ^ symbol)
            yield case, card

    def _note_void(self, card: int, holding: int) -> None:
        """The actor plays this card: if it does not follow the card led, none of his others would have."""
        game = self.game
        follow = game.lead.follow if isinstance(game.phase, Tricks) and game.trick else 0
        if follow and not card & follow:
            for symbol in self.symbols(holding):
                self.allowed[symbol] = self.allowed.get(symbol, self.known) & ~follow

    def _demands(self, cards: int) -> dict[int, int]:
        """By the cards that symbols of a set may stand for, one of those symbols."""
        return {self.allowed.get(symbol, self.known): symbol for symbol in self.symbols(cards)}

    def _alike(self, cards: int) -> int:
        """The set of cards of which one is chosen, its symbols mixed if they differ in their past (not in demands)."""
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
    """Every case of the hand that a view shows; at least one.

    Raises:
        EngineError: the game is over, or no game can look like this.
    """
    if view.stage == "over":
        raise EngineError("the game of this view is over: nothing is left to be sampled")
    cases = [Shadow.dealt(view, rules)]
    waiting = view.actor is None
    for done in range(len(cases[0].game.log), len(view.history) - waiting):
        cases = [case for before in cases for case in before.follow(done)]
    if waiting:
        cases = [case for before in cases for case in _asked_in_private(before)]
    for case in cases:
        if not (view.actor == view.seat and case.game.phase.stage == view.stage):
            case.decline_own_query()
    cases = [case for case in cases if case.game.view(view.seat) == view]
    if not cases:
        raise EngineError(f"no game of {view.variant} can look like this to seat {view.seat}")
    return cases


def _asked_in_private(before: Shadow) -> Iterator[Shadow]:
    """The cases in which, after the last event, another seat is being asked in private."""
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
