"""Follows a game from what one seat is told, together with the packs, which the program of the person dealt itself.

The seat is told public actions and its own ones. The hidden parts of the others' actions (which card was discarded) are
found by search: the engine plays what is known, tries what is not, and takes back what contradicts the rest. Before the
hand is over several ways may fit; the frames of the seat are the same for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine import Action, EngineError, Event, Game, SeatView, effective_suit
from harness.records.replay.frames import Frame, FrameMaker
from harness.records.replay.replay import Step
from harness.records.values.game_record import TimeControl

MOST_TRIES = 200_000
"""Actions that a search may try. A search that needs more gives up; none that was seen needed a tenth."""


class LostTrackError(Exception):
    """What the seat was told does not follow from the packs: a defect."""


@dataclass(frozen=True, slots=True)
class _Target:
    """What the search must reach: a decision of the seat with this view, or the end of the hand with these scores."""

    history: tuple[Event, ...]
    own: tuple[str, ...]
    view: SeatView | None
    trump: str
    scores: tuple[int, ...] = ()


@dataclass(slots=True)
class _Node:
    """A place in the search: the game there, the actions not yet tried, and the seats whose actions may be wrong."""

    game: Game
    actions: Iterator[Action]
    blamed: set[int]
    step: Step | None = None

    def is_chosen_by(self, seat: int) -> bool:
        """Return whether `seat` chose the step from several actions."""
        return self.step is not None and self.step.seat == seat and not self.step.forced


class Follower:
    """The game as one seat saw it so far.

    `frames` are those that the seat may see, `open_frames` those of every finished hand with all cards, by hand.
    """

    def __init__(self, game: Game, seat: int, names: Sequence[str], time: TimeControl) -> None:
        """Follow from the deal of `game`. `names` are those of the bots by seat."""
        self.seat = seat
        self.frames: list[Frame] = []
        self.open_frames: list[list[Frame]] = []
        self._names = tuple(names)
        self._time = time
        self._hand = game.copy()
        """The game at the deal of this hand."""
        self._own: list[str] = []
        """The tokens that the seat chose in this hand."""
        self._trump = ""
        self._shown = 0
        """How many frames of this hand are in `frames`."""
        self._maker = FrameMaker(names, time, seat)

    def chosen(self, token: str) -> None:
        """Take an action that the seat chose."""
        self._own.append(token)

    def decision(self, view: SeatView) -> list[Frame]:
        """Take the view of a decision of the seat. Return the frames since the last call. Raises LostTrackError."""
        self._trump = view.trump
        steps = self._search(_Target(view.history, tuple(self._own), view, view.trump))
        return self._add(self._made(steps, self.seat))

    def hand_ended(self, history: Sequence[Event], scores: tuple[int, ...]) -> list[Frame]:
        """Take the public actions of a hand that is over, and the scores. Return the frames since the last call.

        Raises LostTrackError.
        """
        steps = self._search(_Target(tuple(history), tuple(self._own), None, self._trump, scores))
        fresh = self._add(self._made(steps, self.seat))
        self.open_frames.append(self._made(steps, None))
        self._hand = steps[-1].after if steps else self._hand
        self._own.clear()
        self._trump = ""
        self._shown = 0
        return fresh

    def _add(self, hand: Sequence[Frame]) -> list[Frame]:
        fresh = list(hand[self._shown :])
        self._shown = len(hand)
        self.frames += fresh
        return fresh

    def _made(self, steps: Sequence[Step], reader: int | None) -> list[Frame]:
        """Return the frames of this hand for a reader."""
        maker = FrameMaker(self._names, self._time, reader)
        made = [maker.deal(self._hand)]
        for step in steps:
            made += maker.step(step)
        return made

    def _search(self, target: _Target) -> list[Step]:
        """Return steps from the deal of this hand to the target.

        Where an action does not fit, only other hidden actions of the same seat can help, and of seats that gave it
        cards: the search goes back to the last of these (backjumping).
        """
        tries = 0
        path: list[_Node] = []
        game = self._hand
        if target.view is not None and game.view(self.seat) == target.view:
            return []
        node = self._node(game, target, path)
        while True:
            action = next(node.actions, None)
            if action is None:
                node = _last_blamed(path, node.blamed)
                game = node.game
                continue
            tries += 1
            if tries > MOST_TRIES:
                raise LostTrackError(f"{MOST_TRIES} actions were tried, and none of their ways fits")
            step = _step(game, action, len(path))
            if not self._fits(step, target):
                node.blamed |= {step.seat} | (set(range(game.players)) if _is_dealt_again(step) else set())
                continue
            node.step = step
            path.append(node)
            if self._is_reached(step, target, sum(one.is_chosen_by(self.seat) for one in path)):
                return [one.step for one in path if one.step is not None]
            game = step.after
            node = self._node(game, target, path) if step.is_within_hand else _Node(game, iter(()), set())

    def _node(self, game: Game, target: _Target, path: Sequence[_Node]) -> _Node:
        actions = tuple(self._branches(game, target, sum(one.is_chosen_by(self.seat) for one in path)))
        # Why there is no way on from here: the cards of the seat, and so its hidden actions and gifts to it.
        everybody = game.actor is None or game.actor == self.seat or _is_shuffled_again(path)
        givers = {one.step.seat for one in path if one.step is not None and one.step.action.kind in ("give", "swap")}
        blamed = set(range(game.players)) if everybody else {game.actor or 0} | givers
        return _Node(game, iter(actions), blamed)

    def _branches(self, game: Game, target: _Target, own: int) -> Iterator[Action]:
        """Yield the actions that may come next, the likelier ones first."""
        seat = game.actor
        legal = game.legal_actions()
        if target.view is not None and seat == self.seat and game.view(self.seat) == target.view:
            return
        if seat == self.seat and len(legal) > 1:
            yield from (action for action in legal if target.own[own : own + 1] == (action.token,))
            return
        due = target.history[len(game.view(self.seat).history) :]
        if game.view(self.seat).actor is not None and due:  # the seat is told of this action
            legal = tuple(action for action in legal if (seat, action.public) == (due[0].seat, due[0].action))
        played = [event.action.card for event in due if event.seat == seat]
        void = _void(due, seat, target.trump or "nt")

        def unlikeliness(action: Action) -> tuple[int, bool]:
            """Sort cards last that the seat plays soon, and first those of a suit that it could not follow."""
            if action.public is action:
                return 0, False
            # In a showdown cards that were put away are dealt again, and may be played late (V11).
            first = played.index(action.card) if action.card in played else len(played)
            return -first, effective_suit(action.card, target.trump or "nt") not in void

        yield from sorted(legal, key=unlikeliness)

    def _fits(self, step: Step, target: _Target) -> bool:
        """Return whether what the seat is told of a step is what it was told."""
        if not step.is_within_hand:
            told = step.after.results[-1].history
            return target.view is None and told == target.history
        told = step.after.view(self.seat).history
        return told == target.history[: len(told)]

    def _is_reached(self, step: Step, target: _Target, own: int) -> bool:
        if own != len(target.own):
            return False
        if target.view is None:
            return not step.is_within_hand and step.after.results[-1].scores == target.scores
        return step.is_within_hand and step.after.view(self.seat) == target.view


def _last_blamed(path: list[_Node], blamed: set[int]) -> _Node:
    """Take the path back to the last step of a blamed seat. Raises LostTrackError if there is none."""
    while path:
        node = path.pop()
        if node.step is not None and node.step.seat in blamed:
            node.blamed |= blamed
            return node
    raise LostTrackError("no way to play the hand fits what the seat was told")


def _is_shuffled_again(path: Sequence[_Node]) -> bool:
    """Return whether cards of the path were shuffled and dealt again: then they depend on all that was put away."""
    return any(len(node.game.packs) > 1 for node in path)


def _is_dealt_again(step: Step) -> bool:
    return step.is_within_hand and len(step.after.packs) > len(step.before.packs)


def _void(due: Sequence[Event], seat: int | None, trump: str) -> set[str]:
    """Return the suits that a seat does not follow in the plays that are due."""
    void: set[str] = set()
    trick: dict[int, str] = {}
    for event in due:
        if event.action.kind != "play":
            continue
        if event.seat in trick:
            trick = {}
        trick[event.seat] = event.action.card
        led = effective_suit(next(iter(trick.values())), trump)
        if event.seat == seat and effective_suit(event.action.card, trump) != led:
            void.add(led)
    return void


def _step(game: Game, action: Action, index: int) -> Step:
    """Return the step that `action` makes of a game, which stays as it is."""
    seat = game.actor
    if seat is None:
        raise EngineError("the game is over")
    legal = game.legal_actions()
    after = game.copy()
    after.apply(action)
    return Step(
        hand=len(game.results),
        index=index,
        seat=seat,
        token=action.token,
        action=action,
        legal=legal,
        forced=len(legal) == 1,
        substituted=False,
        ms=0,
        fault=None,
        before=game,
        after=after,
    )
