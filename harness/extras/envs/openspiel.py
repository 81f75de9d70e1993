"""Every variant as a game of OpenSpiel: `python_bowerbird_euchre`, `python_bowerbird_two_handed`, and so on.

A game has one hand, or as many as its parameter `max_hands` allows. It starts with chance nodes: for the first dealer,
then for every pack, card by card from the top, so that each order of the pack is equally likely. A later shuffle is
also chance, at the action that needs it. Returns are the rewards of `rewards`, summed over the hands.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

try:
    import pyspiel
except ImportError as error:
    raise ImportError("bowerbird.envs.openspiel needs OpenSpiel: pip install 'bowerbird[openspiel]'") from error

from bowerbird.engine import (
    Action,
    AtLeast,
    Game,
    IllegalAction,
    InvalidOption,
    OneOf,
    OptionValue,
    Pack,
    RecordError,
    Rules,
    Sampler,
    SeatView,
    Variant,
    rules_of,
    variant_names,
)
from bowerbird.harness.extras.envs.rewards import of_hand
from bowerbird.harness.features.observing import Observer, observer_of

PREFIX = "python_bowerbird_"

ONE_HAND = 1
"""The default of the parameter max_hands. OpenSpiel's games need a maximum length, so it cannot be 0."""

MOST_POINTS = 256
"""More points than a hand can score, unless options have large values."""

ACTIONS_OF_SEAT = 200
"""More decisions than a seat makes in a hand, including redeals (V11.5)."""

SHUFFLES = 40
"""More shuffles than a hand has."""


class _Shuffle(NamedTuple):
    """A shuffle that a game needs: the number of its hand, its own number in the hand, and the cards to order."""

    hand: int
    number: int
    cards: tuple[int, ...]


class _PackWantedError(RecordError):
    """A game needs a shuffle that chance has not dealt yet."""

    def __init__(self, shuffle: _Shuffle) -> None:
        super().__init__(f"hand {shuffle.hand}: shuffle {shuffle.number} has not been dealt yet")
        self.shuffle = shuffle


class _DealtByChance:
    """A PackSource with the packs that chance has dealt.

    It is finite, and the engine undoes an action that needs more.
    """

    __slots__ = ("_orders", "finite")

    def __init__(self, orders: Mapping[tuple[int, int], tuple[int, ...]]) -> None:
        self.finite = True
        self._orders = dict(orders)

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """Return the order that chance has dealt; raise _PackWantedError if it has not."""
        order = self._orders.get((hand, shuffle))
        if order is None:
            raise _PackWantedError(_Shuffle(hand, shuffle, cards))
        return order

    def with_pack(self, hand: int, shuffle: int, order: tuple[int, ...]) -> _DealtByChance:
        """Return a source with one more pack."""
        return _DealtByChance({**self._orders, (hand, shuffle): order})


class _Table:
    """The state of an OpenSpiel game in terms of the engine. A copy is independent.

    game: the game in play, None until the first pack is dealt.
    dealer: the first dealer, None until chance has chosen it.
    wanted: the shuffle that chance is dealing, or None.
    drawn: the cards of that shuffle so far, top card first.
    left: the places of its other cards in the pack.
    pending: the action that needs the shuffle, None for the first deal.
    past: for each seat, what it knew of earlier hands and of earlier deals of this hand.
    hand_began: the number of actions, including chance, before the first card of the last deal.
    packs_before: the number of packs of the hand before that deal.
    length: the number of actions so far, including chance.
    """

    __slots__ = (
        *("_observed", "_sampler", "dealer", "drawn", "game", "hand_began", "length", "packs_before", "past"),
        *("actions", "left", "pending", "rules", "source", "wanted"),
    )

    def __init__(self, observer: Observer) -> None:
        rules = observer.layout.rules
        self.rules = rules
        self.actions = observer.actions
        self.source = _DealtByChance({})
        self.game: Game | None = None
        self.dealer: int | None = None
        self.wanted: _Shuffle | None = None
        self.drawn: tuple[int, ...] = ()
        self.left: tuple[int, ...] = ()
        self.pending: Action | None = None
        self.past: tuple[str, ...] = ("",) * rules.players
        self.hand_began = 1
        self.packs_before = 0
        self.length = 0
        self._sampler: tuple[int, Sampler] | None = None

    def __deepcopy__(self, memo: object) -> Self:
        """Return a copy. OpenSpiel clones the attributes of a state this way."""
        copy = type(self).__new__(type(self))
        for name in (
            "rules",
            "actions",
            "source",
            "dealer",
            "wanted",
            "drawn",
            "left",
            "pending",
            "past",
            "hand_began",
            "packs_before",
        ):
            setattr(copy, name, getattr(self, name))
        copy.length = self.length
        copy.game = None if self.game is None else self.game.copy()
        copy._sampler = None
        return copy

    @property
    def is_chance(self) -> bool:
        """Whether chance must choose the first dealer or a card."""
        return self.dealer is None or self.wanted is not None

    def chances(self) -> list[int]:
        """Return the outcomes of chance: seats, or the places in the pack of cards that have not been drawn."""
        return list(self.rules.seats) if self.wanted is None else list(self.left)

    def apply_chance(self, outcome: int) -> None:
        """Choose the first dealer, or draw a card.

        After the last card of a shuffle the game continues. Raises IllegalAction unless the outcome is one of
        `chances`.
        """
        if outcome not in (self.rules.seats if self.wanted is None else self.left):
            raise IllegalAction(f"chance cannot choose {outcome} here: it chooses among {_spaced(self.chances())}")
        self.length += 1
        if self.wanted is None:
            self.dealer = outcome
            self._go_on()
            return
        place = self.left.index(outcome)
        self.left = self.left[:place] + self.left[place + 1 :]
        self.drawn += (1 << outcome,)
        if len(self.drawn) == len(self.wanted.cards):
            self.source = self.source.with_pack(self.wanted.hand, self.wanted.number, self.drawn)
            if self.game is not None:
                self.game = self.game.with_packs(self.source)
            dealt, self.wanted, self.drawn = self.wanted, None, ()
            self._go_on(dealt)

    def apply(self, action: Action) -> None:
        """Apply an action of the seat to decide, or keep it until chance has dealt the shuffle that it needs."""
        self.length += 1
        self._sampler = None
        self.pending = action
        self._go_on()

    def _go_on(self, dealt: _Shuffle | None = None) -> None:
        """Deal the first hand, apply the pending action, or note the shuffle that must come first.

        dealt: the shuffle that chance has just dealt; None at the first attempt at the action.
        """
        try:
            if self.game is None:
                assert self.dealer is not None, "chance has chosen it"
                self.game = Game.start(self.rules, self.dealer, self.source)
            elif self.pending is not None:
                deals = dealt is not None and len(dealt.cards) == self.rules.pack.size
                self._apply_pending(self.game, self.pending, deals=deals)
        except _PackWantedError as wanted:
            self.wanted = wanted.shuffle
            self.left = tuple(card.bit_length() - 1 for card in wanted.shuffle.cards)

    def _apply_pending(self, game: Game, action: Action, *, deals: bool) -> None:
        """Apply an action.

        `deals`: whether the whole pack is dealt after it, for the next hand or again for this one.
        """
        number, packs = game.hand_number, len(game.packs)
        recalls = deals or self.rules.options["max_hands"] != ONE_HAND
        seen = [information_state(game.view(seat)) for seat in self.rules.seats] if recalls else []
        actor = game.actor
        game.apply(action)
        self.pending = None
        if deals or (recalls and len(game.results) > number):
            last = [action if seat == actor else action.public for seat in self.rules.seats]
            self.past = tuple(map("{}{}; {}. ".format, self.past, seen, last))
        if deals:
            self._begin_hand(0 if game.hand_number != number else packs)

    def _begin_hand(self, packs_before: int) -> None:
        """Store where the last deal of the hand began: before the cards that chance has just dealt."""
        assert self.game is not None, "its hand has begun"
        self.packs_before = packs_before
        self.hand_began = self.length - sum(len(pack.split()) for pack in self.game.packs[packs_before:])

    def sampler(self, seat: int) -> Sampler:
        """Return the sampler of games that `seat` cannot tell from this one, made once for each position."""
        assert self.game is not None, "a seat is to decide"
        if self._sampler is None or self._sampler[0] != seat:
            self._sampler = (seat, Sampler(self.game.view(seat)))
        return self._sampler[1]


def _spaced(values: Sequence[object]) -> str:
    return " ".join(map(str, values))


def information_state(view: SeatView) -> str:
    """Return as text everything that a seat knows about the hand in play and has seen in it, in order.

    For the first hand of a game, this is the seat's information state as a solver knows it, so a bot can look up the
    solver's strategy by its view.
    """
    memory = ", ".join(
        f"{memo.what} {_spaced(memo.cards)}" + ("" if memo.seat is None else f" (seat {memo.seat})")
        for memo in view.memory
    )
    parts = [
        f"hand {view.hand_number} dealer {view.dealer} scores {_spaced(view.scores)}",
        f"games {_spaced(view.games)}" if view.games else "",
        f"drops {_spaced(view.drops)}" if view.drops else "",
        memory,
        f"upcard {view.upcard} {view.upcard_place}" if view.upcard else "",
        f"laid {' / '.join(map(_spaced, view.laid))}" if view.laid else "",
        f"extra {view.extra}" if view.extra else "",
        f"holds {_spaced(view.hand)}",
        ", ".join(f"{event.seat} {event.action}" for event in view.history),
        f"{view.stage} {'' if view.actor is None else view.actor}".strip(),
    ]
    return f"seat {view.seat}: {'; '.join(filter(None, parts))}"


class BowerbirdState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel has no types
    """A state of a game. Algorithms see only what OpenSpiel defines; private parts of the engine's game stay inside."""

    def __init__(self, game: BowerbirdGame) -> None:
        super().__init__(game)
        self._table = _Table(game.observer)

    def __reduce__(self) -> tuple[Callable[..., BowerbirdState], tuple[BowerbirdGame, list[int]]]:
        return _state_after, (self.get_game(), self.history())

    def current_player(self) -> int:
        """Return the seat to decide, or OpenSpiel's value for chance or for the end of the game."""
        table = self._table
        if table.is_chance:
            return int(pyspiel.PlayerId.CHANCE)
        assert table.game is not None, "chance has dealt"
        return int(pyspiel.PlayerId.TERMINAL) if table.game.actor is None else table.game.actor

    def _legal_actions(self, player: int) -> list[int]:
        """Return the numbers of the legal actions of the seat to decide, in ascending order."""
        game = self._table.game
        if game is None or self._table.is_chance or player != game.actor:
            return []
        number = self._table.actions.number
        return sorted([number[action] for action in game.legal_actions()])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the equally likely outcomes of chance: the first dealer, or the next card of the pack."""
        outcomes = self._table.chances()
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def _apply_action(self, action: int) -> None:
        """Apply a legal action, or an outcome of chance."""
        if self._table.is_chance:
            self._table.apply_chance(action)
        else:
            self._table.apply(self._table.actions[action])

    def _action_to_string(self, player: int, action: int) -> str:
        """Return the token of an action, or a description of chance's choice."""
        if player != pyspiel.PlayerId.CHANCE:
            return str(self._table.actions[action])
        if self._table.dealer is None:
            return f"dealer {action}"
        pack = self._table.rules.pack
        code = pack.code[1 << action]
        is_second = pack.bits[code] & (1 << action) - 1  # OpenSpiel requires distinct texts
        return f"deal {code}, second copy" if is_second else f"deal {code}"

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._table.game is not None and self._table.game.is_over and not self._table.is_chance

    def returns(self) -> list[float]:
        """Return the rewards of all hands by seat once the game is over, and zeros before that."""
        table = self._table
        if table.game is None or not self.is_terminal():
            return [0.0] * table.rules.players
        rewards = [of_hand(table.rules, result.points) for result in table.game.results]
        return [float(sum(of_seat)) for of_seat in zip(*rewards, strict=True)]

    def information_state_string(self, player: int | None = None) -> str:
        """Return everything that a seat knows and has seen; by default the seat to decide."""
        seat = self._seat(player)
        return f"{self._table.past[seat]}{self._shown(seat)}"

    def observation_string(self, player: int | None = None) -> str:
        """Return everything that a seat knows and has seen in this hand; by default the seat to decide."""
        return self._shown(self._seat(player))

    def _seat(self, player: int | None) -> int:
        seat = self.current_player() if player is None else player
        if seat not in self._table.rules.seats:
            raise pyspiel.SpielError(f"there is no player {seat}; players are 0 to {self._table.rules.players - 1}")
        return seat

    def _shown(self, seat: int) -> str:
        game = self._table.game
        return f"seat {seat}: no cards yet" if game is None else information_state(game.view(seat))

    def resample_from_infostate(self, player: int, probability_sampler: Any) -> BowerbirdState:
        """Return a state that `player` cannot tell from this one, each being equally likely (`engine.Sampler`).

        probability_sampler: returns numbers from 0 to 1, one of which determines the state.

        The history of the new state has the new cards. Of the true cards it keeps only the hidden ones of earlier hands
        and deals.
        """
        table = self._table
        if table.is_chance or table.game is None or table.game.is_over:
            raise pyspiel.SpielError("a state can be resampled only where a player must decide")
        seat = self._seat(player)
        world = table.sampler(seat).draw(random.Random(int(probability_sampler() * (1 << 53))))
        state = _state_after(self.get_game(), self.history()[: table.hand_began])
        return _replayed(state, world, table.packs_before)

    def __str__(self) -> str:
        """Return the hands of all seats and the actions so far."""
        table = self._table
        if table.game is None:
            return f"{table.rules.variant}: {'no dealer yet' if table.dealer is None else f'dealer {table.dealer}'}"
        chance = f"; {len(table.drawn)} cards of the next shuffle" if table.is_chance else ""
        seats = "\n".join(information_state(table.game.view(seat)) for seat in table.rules.seats)
        return f"{table.game!r}{chance}\n{seats}"


def _state_after(game: BowerbirdGame, history: Sequence[int]) -> BowerbirdState:
    """Return the state of `game` after the actions of `history`, which include chance's."""
    state = game.new_initial_state()
    for action in history:
        state.apply_action(action)
    return state


def _replayed(state: BowerbirdState, world: Game, packs_before: int) -> BowerbirdState:
    """Advance `state` from the last deal of the hand of `world` to the position of `world`, and return it.

    packs_before: the number of packs of the hand before that deal.
    """
    table = state._table
    orders = [_order(table.rules.pack, pack) for pack in world.packs]  # the packs of its last deal and after it
    source = table.source
    for shuffle, order in enumerate(orders, packs_before):
        source = source.with_pack(world.hand_number, shuffle, order)
    dealt = iter(orders)
    _deal(state, next(dealt))
    assert table.game is not None, "the hand is dealt"
    for action in _way(table.game.with_packs(source), world):
        state.apply_action(table.actions.number[action])
        if table.is_chance:
            _deal(state, next(dealt))
    return state


def _order(pack: Pack, text: str) -> tuple[int, ...]:
    """Return the cards of a pack from its `text`. Of equal cards, the first comes first."""
    free = pack.whole
    order = []
    for code in text.split():
        card = free & pack.bits[code]
        card &= -card
        free ^= card
        order.append(card)
    return tuple(order)


def _deal(state: BowerbirdState, order: tuple[int, ...]) -> None:
    """Let chance deal a shuffle."""
    for card in order:
        state.apply_action(card.bit_length() - 1)


def _look_alike(game: Game, world: Game) -> bool:
    """Return whether every seat has the same view of both games."""
    return (
        game.actor == world.actor
        and game.view(0).history == world.view(0).history
        and all(game.view(seat) == world.view(seat) for seat in game.rules.seats)
    )


def _way(game: Game, world: Game) -> list[Action]:
    """Return the actions that lead from the deal of a hand to the position of `world`.

    The history has the actions that everyone sees. A hidden action follows from what its seat remembers of it.
    """
    way = _continued(game, world, world.view(0).history, [world.view(seat).memory for seat in world.rules.seats])
    assert way is not None, "the sampler has drawn a world that can be reached"
    return way


def _continued(
    game: Game, world: Game, history: Sequence[Any], memories: Sequence[Sequence[Any]]
) -> list[Action] | None:
    """Return the actions from `game` to `world`, or None if there are none. `game` must not be used afterwards."""
    way: list[Action] = []
    while game.actor is not None:
        done = len(game.view(0).history)
        private = game.rules.asks_in_private and game.view((game.actor + 1) % game.players).actor is None
        if done == len(history) and not private and game.actor == world.actor:
            return way if _look_alike(game, world) else None
        if private:
            if game.actor == world.actor and done == len(history) and _look_alike(game, world):
                return way
            candidates = game.legal_actions()
        elif done < len(history) and history[done].seat == game.actor:
            candidates = tuple(one for one in game.legal_actions() if one.public is history[done].action)
        else:
            return None
        if len(candidates) == 1:
            game.apply(candidates[0])
            way.append(candidates[0])
            continue
        for action in candidates:
            after = game.copy()
            after.apply(action)
            if _agrees(after, history, memories):
                rest = _continued(after, world, history, memories)
                if rest is not None:
                    return [*way, action, *rest]
        return None
    return None


def _agrees(game: Game, history: Sequence[Any], memories: Sequence[Sequence[Any]]) -> bool:
    """Return whether everything done and learnt so far is the beginning of the world's history and memories."""
    for seat, memory in enumerate(memories):
        view = game.view(seat)
        if view.memory != memory[: len(view.memory)] or view.history != history[: len(view.history)]:
            return False
    return True


class BowerbirdObserver:
    """The observations of a seat for OpenSpiel: the layout of `bowerbird.harness.features`, and the text of a state."""

    def __init__(self, observer: Observer, perfect_recall: bool) -> None:
        self._observer = observer
        self._perfect_recall = perfect_recall
        self.tensor = np.zeros(observer.layout.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: BowerbirdState, player: int) -> None:
        """Write the observation of `player` into `tensor`; zeros before the cards are dealt."""
        game = state._table.game
        if game is None:
            self.tensor.fill(0)
        else:
            self.tensor[:] = self._observer.observation(game.view(player))

    def string_from(self, state: BowerbirdState, player: int) -> str:
        """Return what `player` knows as text."""
        return state.information_state_string(player) if self._perfect_recall else state.observation_string(player)


class BowerbirdGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
    """A variant as a game of OpenSpiel. Raises InvalidOption for a parameter that its rules do not allow."""

    variant = ""

    def __init__(self, params: Mapping[str, OptionValue] | None = None) -> None:
        self._given = given = dict(params or {})
        options = {"max_hands": ONE_HAND, **given}
        if options["max_hands"] == 0:
            raise InvalidOption("max_hands cannot be 0 in OpenSpiel: its games have a maximum length")
        self.rules = rules_of(self.variant).rules(options)
        self.observer = observer_of(self.variant, self.rules.options)
        super().__init__(_type_of(rules_of(self.variant)), _info_of(self.rules, self.observer), given)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, dict[str, OptionValue]]]:
        """Return how `pickle` recreates the game: by `load_game`, which first registers it if needed."""
        return load_game, (self.variant, self._given)

    def new_initial_state(self) -> BowerbirdState:
        """Return the state before the first dealer is chosen."""
        return BowerbirdState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return an upper bound of the chance nodes in a history."""
        return 1 + _hands(self.rules) * SHUFFLES * self.rules.pack.size

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> BowerbirdObserver:
        """Return the observer of states for tensors and texts. Raises ValueError if there are parameters."""
        if params:
            raise ValueError(f"observers of {PREFIX}… take no parameters, not {params}")
        return BowerbirdObserver(self.observer, iig_obs_type is not None and iig_obs_type.perfect_recall)


def _type_of(variant: Variant) -> Any:
    seats = sorted(_seats(variant))
    return pyspiel.GameType(
        short_name=short_name(variant.name),
        long_name=f"{variant.title} (Bowerbird, {variant.section})",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=seats[-1],
        min_num_players=seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**{name: one.default for name, one in variant.options.items()}, "max_hands": ONE_HAND},
    )


def _seats(variant: Variant) -> set[int]:
    """Return the possible numbers of seats under the variant's options."""
    found = {variant.seats()}
    for name, option in variant.options.items():
        for value in option.allowed if isinstance(option.allowed, OneOf) else ():
            try:
                found.add(variant.seats({name: value}))
            except InvalidOption:  # not allowed with the defaults of the others
                continue
    return found


def _hands(rules: Rules) -> int:
    """Return the maximum number of hands."""
    return int(rules.options["max_hands"])


def _info_of(rules: Rules, observer: Observer) -> Any:
    hands = _hands(rules)
    numbers = [
        int(rules.options[name])
        for name, option in rules_of(rules.variant).options.items()
        if isinstance(option.allowed, AtLeast) and name != "max_hands"
    ]
    most = float(2 * hands * max([MOST_POINTS, *numbers]))
    return pyspiel.GameInfo(
        num_distinct_actions=len(observer.actions),
        max_chance_outcomes=max(rules.pack.size, rules.players),
        num_players=rules.players,
        min_utility=-most,
        max_utility=most,
        utility_sum=0.0,
        max_game_length=hands * rules.players * ACTIONS_OF_SEAT,
    )


def short_name(variant: str) -> str:
    """Return the name of a variant's game in OpenSpiel, such as python_bowerbird_two_handed.

    Raises UnknownVariant if there is no such variant.
    """
    return PREFIX + rules_of(variant).name.replace("-", "_")


def register() -> tuple[str, ...]:
    """Register every variant with OpenSpiel, unless that is already done, and return the names of the games."""
    known = set(pyspiel.registered_names())
    names = {variant: short_name(variant) for variant in variant_names()}
    for variant, name in names.items():
        if name not in known:
            pyspiel.register_game(_type_of(rules_of(variant)), type(name, (BowerbirdGame,), {"variant": variant}))
    return tuple(names.values())


def load_game(variant: str, options: Mapping[str, OptionValue] | None = None) -> Any:
    """Return a variant as a game of OpenSpiel, as `pyspiel.load_game` does for its registered name.

    options: the options that differ from their defaults; max_hands is 1 unless it is set.

    Raises UnknownVariant or InvalidOption if the variant or an option is wrong.
    """
    rules_of(variant).rules(options)
    register()
    return pyspiel.load_game(short_name(variant), dict(options or {}))
