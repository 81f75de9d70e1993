"""A game as a row of pictures of the table, one for each step, for replays that one steps through.

Every picture is made of what the engine says after the step, and checked by it as `replay` is. With a seat the
pictures hold what that seat knew and nothing else: its `game.view`, and of others how many cards they held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from engine import Game, new_game
from engine.views import SeatView
from harness.records.record import FaultRecord, GameRecord
from harness.records.replay import ReplayError, Step
from harness.records.replay import replay as replay_record
from harness.records.sight import player_of, same_hand, seen_fault, seen_token, trick_winner, tricks_after
from harness.records.words import SIGNS, card_sign, fault_in_words, in_words

_NOBODY = -1
"""A reader who sits at no seat of the table."""

Kind = Literal["deal", "action", "fault", "end"]


@dataclass(frozen=True, slots=True)
class Place:
    """A seat in a picture.

    `cards` are those the reader knows of its hand, `hidden` how many more it holds. `laid` lie face up before it,
    `covered` face down. `put_away` are discards and cards given that the reader knows of. `bank_ms` is what is left of
    its reserve, None where the reader could not know it. `side` numbers the sides of this hand.
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
    """Cards on the table that are nobody's yet, face down: the ones that the reader knows, and how many in all."""

    name: str
    cards: tuple[str, ...]
    number: int


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture: after the step `step` of hand `hand`; step 0 is the deal.

    `seat` acted (None: nobody), `token` is what it did as the reader saw it, `said` all of that in words. `actor` is to
    act next (None: nobody, or the reader must not know). `trick` lies on the table, `winner` took it with this step.
    `public` is what is said of it to those who did not see its card, or its action at all; "" where nothing was hidden.
    `legal` are the actions that there were to choose from, "" and empty where the reader did not see them. `ms` is the
    time charged. `forced` and `substituted`: the referee made the action.
    """

    hand: int
    step: int
    kind: Kind
    seat: int | None
    token: str
    said: str
    places: tuple[Place, ...]
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
    """The pictures of a game, for everybody or for one seat; each step is checked before its picture is yielded.

    A game that was not played (its bots had been withdrawn) has no picture. Raises RecordError where the game has no
    such seat, or where the play comes to what is not allowed.
    """
    if seat is not None and not 0 <= seat < len(record.seats):
        raise ReplayError(record.id, f"there is no seat {seat}; it has seats 0 to {len(record.seats) - 1}")
    return _Camera(record, seat).frames()


class _Camera:
    """Takes the pictures of one record for one reader."""

    def __init__(self, record: GameRecord, seat: int | None) -> None:
        self.record = record
        self.seat = seat
        time = record.conditions.time
        self.banks = [time.bank_ms] * len(record.seats)

    def frames(self) -> Iterator[Frame]:
        """All pictures; they are numbered in each hand."""
        last: Frame | None = None
        for number, steps in groupby(replay_record(self.record), key=lambda step: step.hand):
            for place, frame in enumerate(self._hand(number, steps)):
                last = replace(frame, step=place)
                yield last
        if self.record.hands:
            yield from self._forfeit(last or self._opening())

    def _hand(self, number: int, steps: Iterator[Step]) -> Iterator[Frame]:
        self.banks = [bank + self.record.conditions.time.increment_ms for bank in self.banks]
        for index, step in enumerate(steps):
            if index == 0:
                yield self._deal(step)
            if step.fault is not None:
                yield self._fault(self._picture(step.before), step.fault)
            frame = self._action(step)
            if frame is not None:
                yield frame
            if not same_hand(step):
                yield self._end(step, number)

    # Each kind of picture

    def _picture(self, game: Game) -> Frame:
        """The table as it stands."""
        view = game.view(self.seat or 0)
        actor = game.actor if self.seat is None else view.actor
        return Frame(
            hand=game.hand_number,
            step=0,
            kind="action",
            seat=None,
            token="",
            said="",
            places=tuple(self._place(game, view, seat) for seat in range(game.players)),
            dealer=game.dealer,
            actor=actor,
            stage=game.phase.stage if self.seat is None and actor is not None else view.stage,
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

    def _place(self, game: Game, view: SeatView, seat: int) -> Place:
        known = self.seat is None or self.seat == seat
        own = game.view(seat) if known else None
        laid = view.laid[seat] if view.laid else ()
        on_table = game.laid[seat] if game.laid else 0
        return Place(
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
            bank_ms=self.banks[seat] if known else None,
        )

    def _piles(self, game: Game) -> tuple[Pile, ...]:
        """What lies face down and belongs to nobody; the covered cards of straw men are at their seats."""
        code = game.rules.pack.code
        everything = self.seat is None
        return tuple(
            Pile(name, tuple(code[card] for card in cards) if everything else (), len(cards))
            for name, cards in game.piles.items()
            if cards and name not in game.rules.pack.bits
        )

    def _deal(self, step: Step) -> Frame:
        dealer = self.record.hands[step.hand].dealer
        said = f"Hand {step.hand}: {self._who(dealer)} deals"
        frame = self._picture(step.before)
        if frame.upcard:
            said += f", {card_sign(frame.upcard)} is turned up"
        return replace(frame, kind="deal", said=said)

    def _fault(self, frame: Frame, fault: FaultRecord) -> Frame:
        said = self._failed(seen_fault(fault, self.seat))
        public = self._failed(seen_fault(fault, _NOBODY)) if self.seat is None else ""
        return replace(
            frame, kind="fault", seat=fault.seat, said=said, public=public, fault=seen_fault(fault, self.seat)
        )

    def _failed(self, fault: FaultRecord) -> str:
        return f"{self._who(fault.seat)}: {fault_in_words(fault)}"

    def _action(self, step: Step) -> Frame | None:
        """The table after an action; None where the reader must not even know of it, and learnt nothing."""
        self._charge(step)
        token = seen_token(step, self.seat)
        if token is None and not self._learnt(step):
            return None
        frame = self._picture(step.after) if same_hand(step) else self._last_of_hand(step)
        winner = trick_winner(step)
        if winner is not None:
            card = (player_of(step), step.action.card)
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
            ms=step.ms if mine else None,
            forced=step.forced and mine,
            substituted=step.substituted,
        )

    def _learnt(self, step: Step) -> bool:
        """Whether an action of which the seat was told nothing changed what it knows."""
        assert self.seat is not None
        if not same_hand(step):
            return True
        return _knowledge(step.before.view(self.seat)) != _knowledge(step.after.view(self.seat))

    def _last_of_hand(self, step: Step) -> Frame:
        """The table after the last action of a hand: the engine has dealt the next one already."""
        frame, before = self._picture(step.before), step.before
        tricks = tricks_after(step)
        played = player_of(step) if step.action.kind in ("play", "dictate") else None
        places = []
        for seat, place in enumerate(frame.places):
            if seat == played:
                place = _without(place, step.action.card)  # noqa: PLW2901  # the place as it is from here on
            places.append(
                replace(place, tricks=tricks[seat], bank_ms=None if place.bank_ms is None else self.banks[seat])
            )
        return replace(frame, places=tuple(places), actor=None, stage="", trick=before.trick)

    def _end(self, step: Step, number: int) -> Frame:
        """The hand is over: what it brought."""
        done = step.after.results[number]
        frame = self._last_of_hand(step)
        places = tuple(
            replace(place, score=done.scores[seat], games=done.games[seat] if done.games else None)
            for seat, place in enumerate(frame.places)
        )
        changes = [now.score - then.score for now, then in zip(places, frame.places, strict=True)]
        gained = ", ".join(f"{self._who(seat)} {change:+d}" for seat, change in enumerate(changes) if change)
        said = f"Hand {number} is over ({done.ended}): {gained or 'no change of scores'}"
        over = step.after.is_over and not step.after.results[number + 1 :]
        return replace(frame, kind="end", said=f"{said}. {self._outcome()}" if over else said, places=places, trick=())

    def _forfeit(self, last: Frame) -> Iterator[Frame]:
        """The fault that ended the game, after which nothing was played."""
        record = self.record
        for fault in record.faults:
            if fault.action == len(record.hands[fault.hand].actions):
                bare = replace(last, winner=None, legal=(), ms=None, token="", public="", substituted=False, actor=None)
                frame = self._fault(bare, fault)
                yield replace(
                    frame,
                    hand=fault.hand,
                    step=last.step + 1 if fault.hand == last.hand else 0,
                    said=f"{frame.said}. {self._outcome()}",
                    public=f"{frame.public}. {self._outcome()}" if frame.public else "",
                    trick=() if last.winner is not None else last.trick,
                )

    def _opening(self) -> Frame:
        """The table of a game that ended before anybody did anything."""
        record = self.record
        packs = [hand.packs for hand in record.hands]
        return self._picture(new_game(record.variant, record.options, first_dealer=record.first_dealer, packs=packs))

    # Words

    def _said(self, step: Step, token: str, winner: int | None) -> str:
        said = f"{self._who(step.seat)} {in_words(token)}"
        if step.action.kind == "order" and step.seat == step.before.dealer:
            said = said.replace("orders up", "takes it up")
        after = step.after
        if same_hand(step) and after.trump != step.before.trump and step.action.kind != "call":
            said += f"; {SIGNS[after.trump]} is trump"
        return said + (f"; {self._who(winner)} takes the trick" if winner is not None else "")

    def _public(self, step: Step) -> str:
        """What others than the actor see, where that is less."""
        other = (step.seat + 1) % len(self.record.seats)
        token = seen_token(step, other)
        if token is None:
            return f"{self._who(step.seat)} decides in secret"
        return "" if token == str(step.action) else f"{self._who(step.seat)} {in_words(token)}"

    def _outcome(self) -> str:
        result = self.record.result
        names = " and ".join(self._who(seat) for seat in result.winners)
        return f"Game over ({result.ended}): {names + ' won' if names else 'nobody won'}"

    def _who(self, seat: int) -> str:
        return f"seat {seat} ({self.record.seats[seat].bot})"

    def _charge(self, step: Step) -> None:
        over = step.ms - self.record.conditions.time.per_decision_ms
        self.banks[step.seat] = max(0, self.banks[step.seat] - max(0, over))


def _put_away(view: SeatView) -> tuple[str, ...]:
    return tuple(card for memory in view.memory if memory.what in ("discarded", "gave") for card in memory.cards)


def _knowledge(view: SeatView) -> tuple[object, ...]:
    """What a seat knows of the hand, but for whose turn it is."""
    return view.hand, view.memory, view.history, view.upcard_place, view.trick, view.extra


def _without(place: Place, card: str) -> Place:
    """The place with one card fewer: from the table, from the cards known, or from those not known."""
    if card in place.laid:
        laid = list(place.laid)
        laid.remove(card)
        return replace(place, laid=tuple(laid))
    if card in place.cards:
        cards = list(place.cards)
        cards.remove(card)
        return replace(place, cards=tuple(cards))
    return replace(place, hidden=max(0, place.hidden - 1))
