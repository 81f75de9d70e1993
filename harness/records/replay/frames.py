"""Frames: pictures of the table, one for each step of a game, for replays that the user steps through.

The engine computes the state of each frame and checks each step as in `replay`. For one seat, frames show only what
that seat knew: its `game.view`, and how many cards others held. For `PUBLIC`, a reader who holds no cards, they show
what every seat knew, and the clock.

`frames` makes the frames of a record. A `FrameMaker` makes the frames of a game in play, step by step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from bowerbird.engine import Game, SeatView
from bowerbird.harness.records.replay.replay import PLAYS, ReplayError, Step, opening
from bowerbird.harness.records.replay.replay import replay as replay_record
from bowerbird.harness.records.replay.visibility import PUBLIC, seen_fault, seen_token
from bowerbird.harness.records.replay.words import SIGNS, card_sign, fault_in_words, in_words
from bowerbird.harness.records.values.game_record import FaultRecord, GameRecord, ResultRecord, TimeControl
from bowerbird.harness.records.values.outcome import result_of

Kind = Literal["deal", "action", "fault", "end"]


@dataclass(frozen=True, slots=True)
class SeatFrame:
    """A seat in a frame.

    `cards` are the cards in its hand that the reader knows; the hand has `hidden` more. `laid` are its cards face up on
    the table; `covered` counts those face down. `put_away` are the discarded and given cards that the reader knows.
    `bank_ms` is the rest of its time bank, None if the reader could not know it. `side` is the number of its side in
    this hand.
    """

    cards: tuple[str, ...]
    hidden: int
    laid: tuple[str, ...]
    covered: int
    put_away: tuple[str, ...]
    tricks: int
    score: int
    games: int | None
    active: bool
    side: int
    bank_ms: int | None


@dataclass(frozen=True, slots=True)
class Pile:
    """A face-down pile on the table that belongs to no seat: the `number` of its cards, and those the reader knows."""

    name: str
    cards: tuple[str, ...]
    number: int


@dataclass(frozen=True, slots=True)
class Frame:
    """The table after step `step` of hand `hand`; step 0 is the deal.

    `seat` acted (None: no seat), `token` is its action as the reader saw it, `said` is the step in words. `actor` acts
    next (None: no seat, or unknown to the reader). `trick` lies on the table; `winner` took it with this step. `public`
    is the step in words for seats that saw only part of it; "" if nothing was hidden. `legal` are the tokens to choose
    from, () if the reader did not see them. `ms` is the time charged. The referee made a `forced` or `substituted`
    action.
    """

    hand: int
    step: int
    kind: Kind
    seat: int | None
    token: str
    said: str
    seats: tuple[SeatFrame, ...]
    dealer: int
    actor: int | None
    stage: str
    upcard: str
    upcard_place: str
    trump: str
    maker: int | None
    contract: int
    how: str
    lone_defender: int | None
    trick: tuple[tuple[int, str], ...]
    trick_number: int
    winner: int | None
    piles: tuple[Pile, ...]
    facts: tuple[tuple[str, str], ...]
    public: str = ""
    legal: tuple[str, ...] = ()
    ms: int | None = None
    forced: bool = False
    substituted: bool = False
    fault: FaultRecord | None = field(default=None)


def frames(record: GameRecord, seat: int | None = None) -> Iterator[Frame]:
    """Yield the frames of a game: with all cards, as one seat saw it, or as PUBLIC did.

    Each step is checked before its frame. A game that was not played because a bot had been withdrawn has no frames.
    Raises RecordError if the game has no such seat; the iteration raises it at a step that breaks the rules.
    """
    if seat not in (None, PUBLIC) and not 0 <= seat < len(record.seats):
        raise ReplayError(record.id, f"there is no seat {seat}; it has seats 0 to {len(record.seats) - 1}")
    return _frames(record, seat)


def _frames(record: GameRecord, seat: int | None) -> Iterator[Frame]:
    maker = FrameMaker([one.bot for one in record.seats], record.clocks, seat)
    last: Frame | None = None
    for _, steps in groupby(replay_record(record), key=lambda step: step.hand):
        for index, step in enumerate(steps):
            if index == 0:
                last = maker.deal(step.before)
                yield last
            for frame in maker.step(step):
                last = frame
                yield last
    if record.hands:
        yield from _forfeit(record, maker, last)


def _forfeit(record: GameRecord, maker: FrameMaker, last: Frame | None) -> Iterator[Frame]:
    """Yield the frame of the fault that ended the game, if any."""
    for fault in record.faults:
        if fault.action == len(record.hands[fault.hand].actions):
            yield maker.forfeit(fault, record.result, last or maker.frame(opening(record)))


class FrameMaker:
    """The maker of one game's frames for one reader. Call `deal` at the start of each hand, `step` after each action.

    The frames of a hand are numbered from 0.
    """

    def __init__(self, names: Sequence[str], clocks: Sequence[TimeControl], reader: int | None) -> None:
        """Store the bots and their clocks, by seat. `reader` is a seat, PUBLIC, or None for all cards."""
        self.names = tuple(names)
        self.clocks = tuple(clocks)
        self.seat = reader
        self.banks = [clock.bank_ms for clock in self.clocks]
        self._count = 0

    def deal(self, game: Game) -> Frame:
        """Return the frame of a hand that was just dealt."""
        self.banks = [bank + clock.increment_ms for bank, clock in zip(self.banks, self.clocks, strict=True)]
        self._count = 0
        said = f"Hand {len(game.results)}: {self._who(game.dealer)} deals"
        frame = self.frame(game)
        if frame.upcard:
            said += f", {card_sign(frame.upcard)} is turned up"
        return self._numbered(replace(frame, kind="deal", said=said))

    def step(self, step: Step) -> list[Frame]:
        """Return the frames of a step: for its fault, its action and the end of the hand; [] if all was secret."""
        made = []
        if step.fault is not None:
            made.append(self._fault(self.frame(step.before), step.fault))
        frame = self._action(step)
        if frame is not None:
            made.append(frame)
        if not step.is_within_hand:
            made.append(self._end(step, step.hand))
        return [self._numbered(one) for one in made]

    def skip(self, seat: int, ms: int) -> None:
        """Count an action within a hand, and the time charged for it, if nobody needs its frame."""
        self._charge(seat, ms)
        self._count += 1

    def forfeit(self, fault: FaultRecord, result: ResultRecord, last: Frame) -> Frame:
        """Return the frame of a fault that ends the game. `last` is the previous frame, or a table without a step."""
        bare = replace(last, winner=None, legal=(), ms=None, token="", public="", substituted=False, actor=None)
        frame = self._fault(bare, fault)
        outcome = self._outcome(result)
        return replace(
            frame,
            hand=fault.hand,
            step=last.step + 1 if fault.hand == last.hand else 0,
            said=f"{frame.said}. {outcome}",
            public=f"{frame.public}. {outcome}" if frame.public else "",
            trick=() if last.winner is not None else last.trick,
        )

    def _numbered(self, frame: Frame) -> Frame:
        self._count += 1
        return replace(frame, step=self._count - 1)

    # Each kind of frame

    def frame(self, game: Game) -> Frame:
        """Return the current table."""
        view = self._view(game)
        actor = game.actor if self.seat is None else view.actor
        return Frame(
            hand=game.hand_number,
            step=0,
            kind="action",
            seat=None,
            token="",
            said="",
            seats=tuple(self._seat(game, view, seat) for seat in range(game.players)),
            dealer=game.dealer,
            actor=actor,
            stage=game.stage if self.seat is None and actor is not None else view.stage,
            upcard=view.upcard,
            upcard_place=view.upcard_place,
            trump=view.trump,
            maker=view.maker,
            contract=view.contract,
            how=view.how,
            lone_defender=view.lone_defender,
            trick=view.trick,
            trick_number=view.trick_number,
            winner=None,
            piles=self._piles(game),
            facts=view.extra,
        )

    def _view(self, game: Game) -> SeatView:
        """Return the view of the reader.

        For PUBLIC, return the view of a seat that is not about to decide; only what all seats share is read from it.
        """
        if self.seat == PUBLIC:
            return game.view(1 if game.actor == 0 else 0)
        return game.view(self.seat or 0)

    def _seat(self, game: Game, view: SeatView, seat: int) -> SeatFrame:
        known = self.seat is None or self.seat == seat
        own = game.view(seat) if known else None
        laid = view.laid[seat] if view.laid else ()
        on_table = game.laid[seat] if game.laid else 0
        return SeatFrame(
            cards=game.rules.pack.text(game.hands[seat] & ~on_table) if known else (),
            hidden=0 if known else (game.hands[seat] & ~on_table).bit_count(),
            laid=laid,
            covered=view.covered[seat] if view.covered else 0,
            put_away=() if own is None else _put_away(own),
            tricks=view.tricks_won[seat],
            score=view.scores[seat],
            games=view.games[seat] if view.games else None,
            active=seat in view.active,
            side=view.sides[seat],
            bank_ms=self.banks[seat] if known or self.seat == PUBLIC else None,
        )

    def _piles(self, game: Game) -> tuple[Pile, ...]:
        """Return the face-down piles without a seat. Covered cards of straw men belong to their seats."""
        code = game.rules.pack.code
        everything = self.seat is None
        return tuple(
            Pile(name, tuple(code[card] for card in cards) if everything else (), len(cards))
            for name, cards in game.piles.items()
            if cards and name not in game.rules.pack.bits
        )

    def _fault(self, frame: Frame, fault: FaultRecord) -> Frame:
        said = self._failed(seen_fault(fault, self.seat))
        public = self._failed(seen_fault(fault, PUBLIC)) if self.seat is None else ""
        return replace(
            frame, kind="fault", seat=fault.seat, said=said, public=public, fault=seen_fault(fault, self.seat)
        )

    def _failed(self, fault: FaultRecord) -> str:
        return f"{self._who(fault.seat)}: {fault_in_words(fault)}"

    def _action(self, step: Step) -> Frame | None:
        """Return the table after an action; None if the reader may not know about it and learned nothing."""
        self._charge(step.seat, step.ms)
        token = seen_token(step, self.seat)
        if token is None and not self._learnt(step):
            return None
        frame = self.frame(step.after) if step.is_within_hand else self._last_of_hand(step)
        winner = step.trick_winner
        if winner is not None:
            card = (step.player, step.action.card)
            frame = replace(
                frame,
                trick=(*step.before.trick, card),
                trick_number=step.before.trick_number,
                winner=winner,
            )
        mine = self.seat is None or self.seat == step.seat
        return replace(
            frame,
            seat=step.seat if token is not None else None,
            token=token or "",
            said="" if token is None else self._said(step, token, winner),
            public=self._public(step) if self.seat is None else "",
            legal=tuple(map(str, step.legal)) if mine else (),
            ms=step.ms if mine or (self.seat == PUBLIC and token is not None) else None,
            forced=step.forced and mine,
            substituted=step.substituted,
        )

    def _learnt(self, step: Step) -> bool:
        """Return True if an action that was hidden from the seat changed its knowledge."""
        assert self.seat is not None  # a reader without a seat sees everything
        if not step.is_within_hand:
            return True
        before, after = self._view(step.before), self._view(step.after)
        if self.seat == PUBLIC:
            return _shared_knowledge(before) != _shared_knowledge(after)
        return _knowledge(before) != _knowledge(after)

    def _last_of_hand(self, step: Step) -> Frame:
        """Return the table after the last action of a hand, when the engine has already dealt the next hand."""
        frame = self.frame(step.before)
        tricks = step.tricks
        played = step.player if step.action.kind in PLAYS else None
        seats = []
        for number, seat in enumerate(frame.seats):
            left = _without(seat, step.action.card) if number == played else seat
            seats.append(
                replace(left, tricks=tricks[number], bank_ms=None if seat.bank_ms is None else self.banks[number])
            )
        return replace(frame, seats=tuple(seats), actor=None, stage="", trick=step.before.trick)

    def _end(self, step: Step, number: int) -> Frame:
        """Return the frame of the end of a hand, with its scores."""
        done = step.after.results[number]
        frame = self._last_of_hand(step)
        shown = done.shown or ((),) * len(frame.seats)
        seats = tuple(
            replace(
                seat,
                score=done.scores[number],
                games=done.games[number] if done.games else None,
                laid=shown[number] or seat.laid,
                cards=() if shown[number] else seat.cards,
                hidden=0 if shown[number] else seat.hidden,
            )
            for number, seat in enumerate(frame.seats)
        )
        changes = [now.score - then.score for now, then in zip(seats, frame.seats, strict=True)]
        gained = ", ".join(f"{self._who(seat)} {change:+d}" for seat, change in enumerate(changes) if change)
        said = f"Hand {number} is over ({done.ended}): {gained or 'no change in the scores'}"
        for seat, cards in enumerate(done.shown):
            said += f"; {self._who(seat)} shows {' '.join(map(card_sign, cards))}" if cards else ""
        over = step.after.is_over and not step.after.results[number + 1 :]
        return replace(
            frame,
            kind="end",
            said=f"{said}. {self._outcome(result_of(step.after))}" if over else said,
            seats=seats,
            trick=(),
        )

    # Words

    def _said(self, step: Step, token: str, winner: int | None) -> str:
        said = f"{self._who(step.seat)} {in_words(token, step.before.stage)}"
        if step.action.kind == "order" and step.seat == step.before.dealer:
            said = said.replace("orders up", "takes it up")
        after = step.after
        if step.is_within_hand and after.trump != step.before.trump and step.action.kind != "call":
            said += f"; {SIGNS[after.trump]} is trump"
        return said + (f"; {self._who(winner)} takes the trick" if winner is not None else "")

    def _public(self, step: Step) -> str:
        """Return the step in words for the other seats; "" if they saw all of it."""
        other = (step.seat + 1) % len(self.names)
        token = seen_token(step, other)
        if token is None:
            return f"{self._who(step.seat)} decides in secret"
        return "" if token == str(step.action) else f"{self._who(step.seat)} {in_words(token, step.before.stage)}"

    def _outcome(self, result: ResultRecord) -> str:
        names = " and ".join(self._who(seat) for seat in result.winners)
        return f"Game over ({result.ended}): {names + ' won' if names else 'nobody won'}"

    def _who(self, seat: int) -> str:
        return f"seat {seat} ({self.names[seat]})"

    def _charge(self, seat: int, ms: int) -> None:
        over = ms - self.clocks[seat].per_decision_ms
        self.banks[seat] = max(0, self.banks[seat] - max(0, over))


def _put_away(view: SeatView) -> tuple[str, ...]:
    return tuple(card for memory in view.memory if memory.what in ("discarded", "gave") for card in memory.cards)


def _knowledge(view: SeatView) -> tuple[object, ...]:
    """Return what a seat knows about the hand, except who acts next."""
    return view.hand, view.memory, *_shared_knowledge(view)


def _shared_knowledge(view: SeatView) -> tuple[object, ...]:
    """Return what all seats know about the hand, except who acts next."""
    return view.history, view.upcard_place, view.trick, view.extra


def _without(seat: SeatFrame, card: str) -> SeatFrame:
    """Return the seat with one card fewer: from the table, from the known cards, or from the hidden ones."""
    if card in seat.laid:
        laid = list(seat.laid)
        laid.remove(card)
        return replace(seat, laid=tuple(laid))
    if card in seat.cards:
        cards = list(seat.cards)
        cards.remove(card)
        return replace(seat, cards=tuple(cards))
    return replace(seat, hidden=max(0, seat.hidden - 1))
