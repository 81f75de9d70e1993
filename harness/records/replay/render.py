"""Renders a replay as lines for a terminal: plain text, which a `Style` can decorate.

For one seat, the lines show only what that seat knew, because all of it comes from `game.view(seat)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType

from bowerbird.engine import SCORED, EngineError, Game, SeatView, rules_of
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.replay.replay import PLAYS, REVEAL, ReplayError, Step, replay
from bowerbird.harness.records.replay.visibility import seen_fault, seen_token
from bowerbird.harness.records.replay.words import SIGNS, clock_in_words
from bowerbird.harness.records.values.annotations import Note
from bowerbird.harness.records.values.figures import note_words
from bowerbird.harness.records.values.game_record import FaultRecord, GameRecord, TimeControl, option_text

NO_STORIES: Mapping[int, Sequence[str]] = MappingProxyType({})


def _plain(text: str) -> str:
    return text


def _with_suit_sign(card: str) -> str:
    """Return `As` as A♠; jokers (X1, Xr, Xb) have no suit and stay unchanged."""
    return card if card.startswith("X") else card[0] + SIGNS[card[1]]


def _suit_sign(suit: str) -> str:
    return suit if suit == "nt" else SIGNS.get(suit, suit)


@dataclass(frozen=True, slots=True)
class Style:
    """The decoration of a line's parts: each function takes the plain text of a part and returns the text to show."""

    heading: Callable[[str], str] = _plain
    card: Callable[[str], str] = _plain
    suit: Callable[[str], str] = _plain
    winner: Callable[[str], str] = _plain
    fault: Callable[[str], str] = _plain
    faint: Callable[[str], str] = _plain


PLAIN = Style()
"""The notation of notation.md, undecorated."""

SUITS = Style(card=_with_suit_sign, suit=_suit_sign)
"""Suits as signs."""


def render(
    record: GameRecord,
    *,
    seat: int | None = None,
    hand: int | None = None,
    style: Style = PLAIN,
    stories: Mapping[int, Sequence[str]] = NO_STORIES,
    notes: Sequence[Note] = (),
) -> Iterator[str]:
    """Yield the lines of a replay, without line ends. Each action is checked before its line.

    seat: show only what this seat knew. hand: show only this hand (all others are checked). stories: lines to show
    below the fault of each seat. notes: bots' notes to show below their actions. Raises RecordError if the game has
    no such seat or hand; the iteration raises it at an action that breaks the rules.
    """
    _check_number(record, "seat", seat, len(record.seats))
    _check_number(record, "hand", hand, len(record.hands))
    return _Renderer(record, seat, style, stories, notes).lines(hand)


def _check_number(record: GameRecord, what: str, number: int | None, there_are: int) -> None:
    if number is not None and not 0 <= number < there_are:
        allowed = f"it has {what}s 0 to {there_are - 1}" if there_are else f"it has no {what}"
        raise ReplayError(record.id, f"there is no {what} {number}; {allowed}")


class _Renderer:
    """A renderer of one record for one reader."""

    def __init__(
        self,
        record: GameRecord,
        seat: int | None,
        style: Style,
        stories: Mapping[int, Sequence[str]],
        notes: Sequence[Note],
    ) -> None:
        self.record = record
        self.stories = stories
        self.notes = {note.place: note_line(note) for note in notes}
        self.seat = seat
        self.style = style
        self.visible = tuple(range(len(record.seats))) if seat is None else (seat,)
        """The seats whose cards the reader sees."""

    def lines(self, only: int | None) -> Iterator[str]:
        yield from self._head()
        for number, steps in groupby(replay(self.record), key=lambda step: step.hand):
            if only is None or number == only:
                yield ""
                yield from self._hand(number, steps)
            else:
                for _ in steps:
                    pass
        yield from self._end(only)

    def _head(self) -> Iterator[str]:
        record, conditions = self.record, self.record.conditions
        yield self.style.heading(f"game {shown(record.id)}")
        yield f"{record.variant}, {self._options()}"
        for number, who in enumerate(record.seats):
            own = f"  (its own clock: {_clock(who.time)})" if who.time is not None else ""
            yield f"  seat {number}  {shown(who.bot)} {shown(who.version)}{own}"
        yield self.style.faint(
            f"{_clock(conditions.time)}; on a fault {conditions.on_fault}; isolation {conditions.isolation}, "
            f"instances {conditions.instances}"
        )

    def _options(self) -> str:
        try:
            defaults = {name: option.default for name, option in rules_of(self.record.variant).options.items()}
        except EngineError:
            defaults = {}  # the replay reports the unknown variant after this line
        chosen = {name: value for name, value in sorted(self.record.options.items()) if defaults.get(name) != value}
        said = ", ".join(f"{name} = {option_text(value)}" for name, value in chosen.items())
        return f"{said}, the other options by default" if said else "all options by default"

    def _end(self, only: int | None) -> Iterator[str]:
        record = self.record
        breaks_off = bool(record.hands) and not record.hands[-1].scores
        if only is None or (breaks_off and only == len(record.hands) - 1) or not record.hands:
            yield from self._last_faults()
        yield ""
        winners = ", ".join(f"seat {seat} ({shown(record.seats[seat].bot)})" for seat in record.result.winners)
        yield self.style.heading(f"ended: {record.result.ended}; {'won by ' + winners if winners else 'nobody wins'}")
        yield f"  ranks   {_row(record.result.ranks)}"
        if record.result.games:
            yield f"  games   {_row(record.result.games)}"

    def _last_faults(self) -> Iterator[str]:
        """Yield the faults that ended the game."""
        for fault in self.record.faults:
            if not self.record.hands:
                yield from self._fault(fault)
            elif fault.action == len(self.record.hands[fault.hand].actions):
                if fault.action == 0:
                    yield ""
                    yield self._hand_heading(fault.hand)
                yield from self._fault(fault)

    # One hand

    def _hand_heading(self, number: int) -> str:
        dealer = self.record.hands[number].dealer
        return self.style.heading(f"hand {number}, dealer seat {dealer} ({self._bot(dealer)})")

    def _hand(self, number: int, steps: Iterator[Step]) -> Iterator[str]:
        hand = self.record.hands[number]
        yield self._hand_heading(number)
        trick: list[str] = []
        noted: list[str] = []
        how = ""
        for index, step in enumerate(steps):
            if index == 0:
                yield from self._deal(step.before)
            if step.fault is not None:
                yield from self._fault(step.fault)
            if step.action.kind in PLAYS:
                trick.append(self._played(step))
                noted += self._note(step)
                winner = step.trick_winner
                if winner is not None:
                    yield self._trick(step, trick, winner)
                    yield from noted
                    trick, noted = [], []
            else:
                yield from self._call(step)
                yield from self._note(step)
            yield from self._learned(step)
            how = "" if step.is_within_hand else step.after.results[-1].ended
            last = step
        if trick:
            yield f"  trick   {'   '.join(trick)}   (not finished)"
            yield from noted
        if hand.scores:
            for seat, cards in enumerate(last.after.results[number].shown):
                if cards:
                    yield f"  seat {seat}  shows {self._cards(cards)}"
            ended = "" if how in ("", SCORED) else f"   ({how})"
            yield f"  scores  {_row(hand.scores)}{ended}"
            if self.record.options.get(REVEAL):
                yield from self._revealed(last.before)

    def _revealed(self, game: Game) -> Iterator[str]:
        """Yield what was hidden from the reader, to show after the scoring (rules.md A9, `reveal_at_end`)."""
        for seat in range(game.players):
            if seat not in self.visible:
                for memory in game.view(seat).memory:
                    yield f"  seat {seat}  {_REVEALED[memory.what]} {self._cards(memory.cards)}"

    def _played(self, step: Step) -> str:
        mark = self.style.fault(" (substituted)") if step.substituted else ""
        return f"{step.player} {self.style.card(step.action.card)}{mark}"

    def _trick(self, step: Step, cards: list[str], winner: int) -> str:
        number = sum(step.before.tricks_won) + 1
        return f"  trick {number} {'   '.join(cards)}   {self.style.winner(f'won by {winner}')}"

    def _deal(self, game: Game) -> Iterator[str]:
        public = game.view(self.visible[0])
        for seat in range(game.players):
            cards = self._cards(game.view(seat).hand) if seat in self.visible else self.style.faint("hidden")
            table = self._table(public, seat)
            yield f"  seat {seat}  {cards}{table}"
        if public.upcard:
            yield f"  upcard  {self.style.card(public.upcard)}"
        if public.trump:
            yield self._trump(public)

    def _table(self, view: SeatView, seat: int) -> str:
        """Return the straw men of a seat, if the variant has them."""
        laid = f"; on the table {self._cards(view.laid[seat])}" if view.laid and view.laid[seat] else ""
        covered = f", {view.covered[seat]} face down" if view.covered and view.covered[seat] else ""
        return laid + covered

    def _call(self, step: Step) -> Iterator[str]:
        token = seen_token(step, self.seat)
        if token is None:
            return
        yield f"  seat {step.seat}  {self._dressed(token)}{self._mark(step)}"
        before, after = step.before.view(self.visible[0]), step.after.view(self.visible[0])
        if step.is_within_hand and after.trump != before.trump:
            yield self._trump(after)

    def _trump(self, view: SeatView) -> str:
        maker = "no maker" if view.maker is None else f"maker seat {view.maker}"
        how = f", {view.how}" if view.how else ""
        return f"  trump   {self.style.suit(view.trump)}, {maker}{how}"

    def _dressed(self, token: str) -> str:
        words = token.split(" ")
        if words[0] in ("call", "bid"):
            return " ".join([words[0], *(self.style.suit(word) if word in SIGNS else word for word in words[1:])])
        return " ".join([words[0], *(self.style.card(word) if _is_card(word) else word for word in words[1:])])

    def _learned(self, step: Step) -> Iterator[str]:
        """Yield the cards that a seat came to know by this action."""
        if not step.is_within_hand:
            return
        for seat in self.visible:
            known = len(step.before.view(seat).memory)
            for memory in step.after.view(seat).memory[known:]:
                if memory.what in _LEARNT:
                    yield f"  seat {seat}  {_LEARNT[memory.what]} {self._cards(memory.cards)}"

    def _fault(self, fault: FaultRecord) -> Iterator[str]:
        told = seen_fault(fault, self.seat).detail
        detail = f": {shown(told)}" if told else ""
        yield self.style.fault(
            f"  fault   {fault.kind} of seat {fault.seat} ({self._bot(fault.seat)}){clock_in_words(fault)}{detail}"
        )
        yield from (f"          {line}" for line in self.stories.get(fault.seat, ()))

    def _note(self, step: Step) -> Iterator[str]:
        line = self.notes.get((step.hand, step.index))
        if line is not None:
            yield self.style.faint(f"          {line}")

    def _mark(self, step: Step) -> str:
        if step.substituted:
            return self.style.fault(" (substituted)")
        return self.style.faint(" (forced)") if step.forced else ""

    def _cards(self, cards: tuple[str, ...]) -> str:
        return " ".join(map(self.style.card, cards))

    def _bot(self, seat: int) -> str:
        return shown(self.record.seats[seat].bot)


_REVEALED = {
    "dealt": "was dealt",
    "upcard": "took up",
    "discarded": "discarded",
    "gave": "gave",
    "received": "was given",
    "widow": "picked up",
    "left": "left",
}
"""Words for the revelation of something that only one seat knew."""

_LEARNT = {"dealt": "is dealt", "upcard": "takes up", "received": "is given", "widow": "picks up"}
"""Words for the ways in which a seat gets cards during a hand. It loses cards by its own actions, shown separately."""


def note_line(note: Note) -> str:
    """Return a bot's note on an action as one harmless line."""
    return f"note of seat {note.seat}: {shown(note_words(note.text))}"


def _is_card(word: str) -> bool:
    return len(word) == 2 and (word[0] == "X" or word[1] in SIGNS)


def _row(values: tuple[int, ...]) -> str:
    return "  ".join(map(str, values))


def _clock(time: TimeControl) -> str:
    clock = f"{time.per_decision_ms} ms a decision, bank {time.bank_ms} ms, increment {time.increment_ms} ms a hand"
    return f"{clock}, at most {time.game_ms} ms a game" if time.game_ms else clock
