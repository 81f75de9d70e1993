"""The public interface of a game."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from bowerbird.engine.actions import Action, Event
from bowerbird.engine.cards.shuffle import SEED_BYTES, stream
from bowerbird.engine.cards.sources import DealtPacks, ListedPacks, PackSource, SeededPacks, UnshuffledLater
from bowerbird.engine.cards.trump_order import Lead
from bowerbird.engine.errors import EngineError, IllegalAction, InvalidOption, RecordError
from bowerbird.engine.game_state import GameState
from bowerbird.engine.options import OptionValue
from bowerbird.engine.results import HandResult
from bowerbird.engine.rules import Rules
from bowerbird.engine.state import Trick
from bowerbird.engine.variants import rules_of
from bowerbird.engine.views import (
    OVER,
    OwnView,
    PublicParts,
    SeatParts,
    SeatView,
    own_view_of,
    public_parts_of,
    seat_parts_of,
    view_of,
)


class OpenTrick(NamedTuple):
    """A trick with all hands open, for searches. Cards are bits of `rules.pack`, and sets of cards are ints.

    Attributes:
        trump: the trump suit, "nt" or "low".
        choices: the cards that the actor may choose.
        lead: the cards that follow the card led, and every card's strength in this trick.
        best: the least strength (`lead.strength`) that beats the best card so far; meaningless before a card is led.
        is_begun: whether a card has been led.
        partner_wins: whether the actor's side played the best card so far.
        foes: the set of cards of each opponent who plays to this trick after the actor, in order of play.
    """

    trump: str
    choices: int
    lead: Lead
    best: int
    is_begun: bool
    partner_wins: bool
    foes: list[int]


class Game:
    """A game. Read `actor` and `legal_actions()`, then `apply` one of these, until `is_over`.

    `apply` and `end_play` change a game, and `skip_later_shuffles` changes the packs of its later hands; everything
    else only reads it. Scores, games and ranks are by seat; in team games, each seat has those of its team. A game is
    not thread-safe: `copy` it for another thread.

    >>> game = new_game("euchre", first_dealer=3, seed=bytes(32))
    >>> game
    <Game of euchre: hand 0, seat 0 is asked to order up; scores 0 0 0 0>
    >>> game.apply("order")
    >>> game
    <Game of euchre: hand 0, seat 3 is asked to discard; scores 0 0 0 0>

    With the same seed, another variant gets another pack, and may begin with another decision:

    >>> new_game("buck-three-handed", first_dealer=2, seed=bytes(32))
    <Game of buck-three-handed: hand 0, seat 1 is asked to take the widow; scores 15 15 15>
    """

    __slots__ = ("_state",)
    _state: GameState

    def __init__(self) -> None:
        """Raise TypeError, because games are created with `new_game` or `Game.start`."""
        raise TypeError("create a game with new_game(...), or with Game.start(...) from rules and packs")

    @classmethod
    def start(cls, rules: Rules, dealer: int, source: PackSource) -> Game:
        """Return a new game with its first hand dealt.

        Args:
            rules: a variant with its options resolved (`Variant.rules`).
            dealer: the seat that deals first.
            source: the source of shuffled packs.

        Raises:
            RecordError: `source` has no valid pack for the first hand.
        """
        return game_of(GameState.start(rules, dealer, source))

    def __repr__(self) -> str:
        h = self._state
        scores = " ".join(map(str, h.scores))
        if h.actor is None:
            winners = " ".join(map(str, h.winners))
            where = f"over after {len(h.results)} hands ({h.ended}), won by {winners}"
        else:
            where = f"hand {h.hand_number}, seat {h.actor} is asked to {h.phase.stage}"
        return f"<Game of {h.rules.variant}: {where}; scores {scores}>"

    # Constant throughout the game.

    @property
    def rules(self) -> Rules:
        """The variant with its options resolved: seats, pack, teams and so on."""
        return self._state.rules

    @property
    def variant(self) -> str:
        """The variant's id in rules.md."""
        return self._state.rules.variant

    @property
    def options(self) -> Mapping[str, OptionValue]:
        """Every option with its value."""
        return self._state.rules.options

    @property
    def players(self) -> int:
        """Number of seats."""
        return self._state.rules.players

    # The position of the game.

    @property
    def actor(self) -> int | None:
        """The seat to decide; None when the game is over."""
        return self._state.actor

    @property
    def stage(self) -> str:
        """The question to `actor`, named as in views, even if it is private; "over" when the game has ended."""
        h = self._state
        return OVER if h.actor is None else h.phase.stage

    @property
    def hand_number(self) -> int:
        """The number of the hand in play, from 0, or of the last hand when the game is over."""
        return self._state.hand_number

    @property
    def dealer(self) -> int:
        """The seat that dealt this hand."""
        return self._state.dealer

    @property
    def scores(self) -> tuple[int, ...]:
        """Scores by seat."""
        return self._state.scores

    @property
    def games(self) -> tuple[int, ...]:
        """The games won by each seat (B4); () in variants without B4."""
        return self._state.games

    @property
    def results(self) -> tuple[HandResult, ...]:
        """The hands finished so far."""
        return self._state.results

    @property
    def packs(self) -> tuple[str, ...]:
        """The packs of the current hand as text, in the order of the shuffles, each with the top card first."""
        return tuple(map(self._state.rules.pack.written, self._state.orders))

    @property
    def is_over(self) -> bool:
        """Whether the game has ended; `ended` says how."""
        return self._state.actor is None

    @property
    def ended(self) -> str:
        """How the game ended (notation.md, Results); "" while it is in play."""
        return self._state.ended

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won; () while the game is in play."""
        return self._state.winners

    @property
    def ranks(self) -> tuple[int, ...]:
        """Final places by seat, from 1; ties share the better place (E1). () while the game is in play."""
        return self._state.ranks()

    # Playing.

    def legal_actions(self) -> tuple[Action, ...]:
        """Return the legal actions of `actor`, or () when the game is over (notation.md, Order of legal actions).

        >>> new_game("euchre", first_dealer=3, seed=bytes(32)).legal_actions()
        (Action('pass'), Action('order'), Action('order alone'))
        >>> new_game("bid-102", {"max_bid": 3, "stock_exchange": False}, seed=bytes(32)).legal_actions()
        (Action('pass'), Action('bid 1'), Action('bid 2'), Action('bid 3'))
        """
        h = self._state
        legal = h.legal_now
        if legal is None:
            legal = h.legal_now = () if h.actor is None else h.phase.legal(h)
        return legal

    def apply(self, action: Action | str) -> None:
        """Apply `actor`'s `action` and advance to the next decision.

        If this raises an error, the game is unchanged.

        Raises:
            IllegalAction: `action` is not one of `legal_actions()`.
            RecordError: the given packs do not cover the next shuffle.
        """
        h = self._state
        legal = h.legal_now
        if legal is None:
            legal = h.legal_actions()
        if action not in legal:
            action = self._read(action)
        if h.source.finite:
            self._apply_or_restore(action)
        else:
            h.move(action)

    def _apply_or_restore(self, action: Action) -> None:
        """Apply a legal `action`. If the packs run out, restore the previous state and raise RecordError."""
        before = self._state.copy()
        try:
            self._state.move(action)
        except RecordError:
            self._state = before
            raise

    def _read(self, token: Action | str) -> Action:
        """Return the legal action written `token`, or raise IllegalAction, which lists the legal actions."""
        legal = self.legal_actions()
        for action in legal:
            if action.token == token:
                return action
        h = self._state
        if h.actor is None:
            raise IllegalAction(f'"{token}" comes too late: the game is over')
        allowed = ", ".join(map(str, legal))
        raise IllegalAction(f'seat {h.actor} cannot do "{token}" ({h.phase.stage}); legal: {allowed}')

    def view(self, seat: int) -> SeatView:
        """Return the view of `seat`, which contains only what it may know. Raise IndexError for an unknown seat.

        >>> game = new_game("euchre", first_dealer=3, seed=bytes(32))
        >>> [len(game.view(seat).legal) for seat in range(4)]
        [3, 0, 0, 0]
        >>> game.view(0).hand == game.view(1).hand
        False
        """
        h = self._state
        return view_of(h, seat, self._legal_of(seat))

    def own_view(self, seat: int) -> OwnView:
        """Return what only `seat` knows, the private fields of its view. This is much faster than the whole view.

        Raise IndexError for an unknown seat.

        >>> game = new_game("euchre", first_dealer=3, seed=bytes(32))
        >>> game.own_view(0) == (0, game.view(0).hand, game.view(0).memory, game.view(0).legal)
        True
        """
        return own_view_of(self._state, seat, self._legal_of(seat))

    def public_parts(self, seat: int) -> PublicParts:
        """Return the public part of the view of `seat`, for an encoder that reuses the bytes of unchanged parts."""
        return public_parts_of(self._state, seat)

    def seat_parts(self, seat: int) -> SeatParts:
        """Return the rest of the view of `seat`, for the same encoder. Raise IndexError for an unknown seat."""
        return seat_parts_of(self._state, seat, self._legal_of(seat))

    def _legal_of(self, seat: int) -> tuple[Action, ...]:
        """Return the legal actions of `seat`; () unless it is to decide. Raise IndexError for an unknown seat."""
        h = self._state
        if not 0 <= seat < h.rules.players:
            raise IndexError(f"seat {seat} does not exist: seats are 0 to {h.rules.players - 1}")
        return h.legal_actions() if seat == h.actor else ()

    def copy(self) -> Game:
        """Return an independent copy: the same actions lead to the same game."""
        game = _new(Game)
        game._state = self._state.copy()
        return game

    def with_packs(self, source: PackSource) -> Game:
        """Return an independent game at the same point, whose later packs come from `source`."""
        game = self.copy()
        game._state.source = source
        return game

    # For searches in sampled games (`Sampler`).

    def redealt(self) -> Game:
        """Return a new game with the same rules, whose first hand is dealt like the current hand."""
        h = self._state
        return Game.start(h.rules, h.dealer, DealtPacks(0, h.orders, h.source))

    def skip_later_shuffles(self) -> None:
        """Deal all later hands unshuffled, which is faster if only the hand in play matters."""
        h = self._state
        h.source = UnshuffledLater(h.hand_number, h.source)

    def is_plain_play(self) -> bool:
        """Return whether the rest of the hand is only tricks played from the hands under the duty to follow suit (A4).

        A search can then play these tricks with sets of cards and call `end_play`.
        """
        h = self._state
        return h.actor is not None and h.step + 1 == len(h.rules.phases) and h.phase.is_plain_play(h)

    def end_play(self, tricks_won: Sequence[int]) -> None:
        """Finish the hand as if its last tricks had been played: score it, and deal the next one.

        For searches that know how many tricks each seat wins in the whole hand. Call it only in plain play
        (`is_plain_play`). The history of the result does not include the cards that were not played.

        Raises:
            RecordError: the given packs do not cover the next shuffle. Do not use the game afterwards.
        """
        self._state.end_play(tricks_won)

    # The open table, for replays and searches: all cards are visible. A card is a bit of `rules.pack`, and a set of
    # cards is an int.

    @property
    def hands(self) -> tuple[int, ...]:
        """The cards in hand by seat."""
        return tuple(self._state.hands)

    @property
    def laid(self) -> tuple[int, ...]:
        """The face-up cards by seat; () if no hand is laid open."""
        return self._state.laid

    @property
    def covered(self) -> tuple[int, ...]:
        """The number of face-down cards on the table by seat; () in variants without such cards."""
        return self._state.covered

    @property
    def piles(self) -> Mapping[str, tuple[int, ...]]:
        """The face-down piles by name, in the order dealt."""
        return MappingProxyType(self._state.piles)

    @property
    def upcard(self) -> int:
        """The upcard; 0 if there is none."""
        return self._state.upcard

    @property
    def upcard_place(self) -> str:
        """Where the upcard is: "up", "down" (turned down), "taken" or "out"; "" if there is none."""
        return self._state.upcard_place

    @property
    def proposed(self) -> str:
        """The suit that the dealer proposed for a turned joker; "" if there is none."""
        return self._state.proposed

    @property
    def trump(self) -> str:
        """The trump suit, "nt" or "low"; "" until it is fixed."""
        return self._state.trump

    @property
    def maker(self) -> int | None:
        """The seat that made trump; None until there is one."""
        return self._state.maker

    @property
    def contract(self) -> int:
        """The maker's contract in tricks, or in points if points are bid (V18, V21); 0 if there is none."""
        return self._state.contract

    @property
    def how(self) -> str:
        """How the maker plays: "" with partners, "alone" or "jambone"."""
        return self._state.how

    @property
    def lone_defender(self) -> int | None:
        """The seat that defends alone; None if there is none."""
        return self._state.lone_defender

    @property
    def sides(self) -> tuple[int, ...]:
        """The number of each seat's side in this hand."""
        return self._state.sides

    @property
    def active(self) -> tuple[int, ...]:
        """The seats that play in this hand."""
        return self._state.active

    @property
    def history(self) -> tuple[Event, ...]:
        """Every public decision of this hand in order."""
        return tuple(self._state.log)

    @property
    def leader(self) -> int | None:
        """The seat that led or will lead the trick; None before play begins."""
        return self._state.leader

    @property
    def trick(self) -> tuple[tuple[int, str], ...]:
        """The trick on the table as (seat, card) in the order played; cards are text."""
        return self._state.trick

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The tricks finished in this hand, in order."""
        return self._state.tricks

    @property
    def trick_number(self) -> int:
        """Number of tricks finished in this hand."""
        return self._state.trick_number

    @property
    def tricks_won(self) -> tuple[int, ...]:
        """Number of tricks won in this hand, by seat."""
        return tuple(self._state.tricks_won)

    @property
    def winning(self) -> int:
        """The seat that played the best card of the trick so far; meaningless before a card is led."""
        return self._state.winning

    def choices(self) -> int:
        """Return the set of cards that `actor` may choose; raise NotImplementedError if it does not choose a card."""
        h = self._state
        return h.phase.choices(h)

    def open_trick(self) -> OpenTrick:
        """Return `actor`'s trick with all hands open. Call it only when a card is to be played or dictated."""
        h = self._state
        sides, hands, laid, after, leader = h.sides, h.hands, h.laid, h.after, h.leader
        own = sides[h.actor]  # type: ignore[index]  # there is an actor while a card is to be chosen
        foes = []
        seat = after[h.actor]  # type: ignore[index]  # as above
        while seat != leader:
            if sides[seat] != own:
                foes.append(hands[seat] | laid[seat] if laid else hands[seat])
            seat = after[seat]
        is_begun = bool(h.trick)
        partner_wins = is_begun and sides[h.winning] == own
        return _open_trick(OpenTrick, (h.trump, h.phase.choices(h), h.lead, h.best, is_begun, partner_wins, foes))


_new = object.__new__
_open_trick: Callable[[type[OpenTrick], tuple[object, ...]], OpenTrick] = tuple.__new__  # skips OpenTrick.__new__


def game_of(state: GameState) -> Game:
    """Return a game that continues from `state` and owns it from then on (for the engine)."""
    game = _new(Game)
    game._state = state
    return game


def state_of(game: Game) -> GameState:
    """Return the state of a game, for the engine, its tests, and observation trackers, which only read it."""
    return game._state


def new_game(
    variant: str,
    options: Mapping[str, object] | None = None,
    *,
    first_dealer: int | None = None,
    seed: bytes | None = None,
    entry: str = "",
    set_number: int = 0,
    packs: Sequence[Sequence[str]] | None = None,
) -> Game:
    """Return a new game with its first hand dealt.

    >>> new_game("buck", {"start": 20}, first_dealer=2, seed=bytes(32)).scores
    (20, 20, 20, 20)
    >>> new_game("two-handed", first_dealer=1, seed=bytes(32)).view(0).hand
    ('Qs', 'Qh', 'Jh', 'Kd', '9c')
    >>> new_game("bukc")
    Traceback (most recent call last):
    bowerbird.engine.errors.UnknownVariant: unknown variant 'bukc', did you mean 'buck'?

    Args:
        variant: an id from rules.md.
        options: the options that differ from their defaults; values may be text such as "12" or "true".
        first_dealer: a seat; by default uniformly random from the seed. Required with `packs`.
        seed: 32 bytes that, with `entry` and `set_number`, determine every pack (notation.md, Shuffling); by default
            from the operating system.
        entry: the variant entry, a field of the shuffling stream.
        set_number: the deal set, a field of the shuffling stream.
        packs: the packs of each hand's shuffles, as in a record, instead of a seed.

    Raises:
        UnknownVariant: there is no variant of this name.
        InvalidOption: an option or `first_dealer` is not allowed.
        RecordError: `packs` do not fit the game, or come without `first_dealer`.
        EngineError: the seed is not 32 bytes long, or both seed and packs are given.
    """
    rules = rules_of(variant).rules(options)
    if first_dealer is not None and first_dealer not in rules.seats:
        raise InvalidOption(f"first_dealer cannot be {first_dealer}: {variant} has seats 0 to {rules.players - 1}")
    if packs is not None:
        if seed is not None:
            raise EngineError("a game can have a seed or packs, not both")
        if first_dealer is None:
            raise RecordError("packs were given without first_dealer: take it from the record")
        return Game.start(rules, first_dealer, ListedPacks(packs, rules.pack))
    if seed is None:
        seed = os.urandom(SEED_BYTES)
    if first_dealer is None:
        first_dealer = stream(seed, "dealer", entry, set_number).uniform(rules.players)
    return Game.start(rules, first_dealer, SeededPacks(seed, entry, set_number))
