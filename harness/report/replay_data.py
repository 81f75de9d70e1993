"""The values on a replay page. The engine computes every state here; the page only draws it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bowerbird.engine import Game, new_game, rules_of
from bowerbird.harness.records.replay.frames import Frame, Pile, SeatFrame, frames
from bowerbird.harness.records.replay.note_check import notes_by_step, places_of
from bowerbird.harness.records.replay.visibility import may_see_own_notes, seen_fault, seen_notes, seen_story
from bowerbird.harness.records.replay.words import SIGNS
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.values.annotations import Note
from bowerbird.harness.records.values.faults import last_lines
from bowerbird.harness.records.values.game_record import FaultRecord, GameRecord, OptionValue, TimeControl
from bowerbird.harness.records.values.query_results import FaultRow
from bowerbird.harness.report.marks import NO_MARKS, DecisionMark, GameMarks, HandMark

Values = dict[str, object]


def replay_data(
    record: GameRecord,
    seat: int | None = None,
    stories: Sequence[FaultRow] = (),
    notes: Sequence[Note] = (),
    marks: GameMarks = NO_MARKS,
) -> Values:
    """Return all values of a replay page, ready for JSON.

    With `seat` they contain only what this seat knew: no cards or times of others, no record, the part of `stories`
    that `seen_story` returns, the `notes` that `seen_notes` returns, and the `marks` on its own decisions. Each of
    `frames` has only the keys that changed since the previous frame. Raises RecordError if the record breaks the rules.
    """
    rules = rules_of(record.variant)
    game_frames = list(frames(record, seat))
    trumps = dict.fromkeys(frame.trump for frame in game_frames if frame.trump in SIGNS)
    game = _game(record)
    defaults = {name: option.default for name, option in rules.options.items()}
    return {
        "id": record.id,
        "variant": record.variant,
        "title": rules.title,
        "options": [[key, value] for key, value in sorted(record.options.items()) if defaults.get(key) != value],
        "better": rules.better,
        "teams": rules.teams(record.options) is not None,
        "seats": [
            {"bot": one.bot, "version": one.version, **({} if one.time is None else {"clock": _clock(one.time)})}
            for one in record.seats
        ],
        "clock": _clock(record.conditions.time),
        "conditions": f"on a fault {record.conditions.on_fault}, isolation {record.conditions.isolation}",
        "commitment": record.commitment,
        "result": {"ended": record.result.ended, "winners": record.result.winners, "ranks": record.result.ranks},
        "faults": [_fault(seen_fault(fault, seat)) for fault in record.faults],
        "stories": {
            str(seen.seat): story_values(seen) for fault in stories if (seen := seen_story(fault, seat)) is not None
        },
        "notes": {
            f"{hand}/{step}": text.split("\n")
            for (hand, step), text in notes_by_step(record, game_frames, seen_notes(record, notes, seat)).items()
        },
        "said_of": _marks_by_step(record, game_frames, [one for one in marks.decisions if seat in (None, one.seat)]),
        "said_of_hands": _tables_by_hand(marks.hands) if seat is None else {},
        "said_of_values": marks.note,
        "own_notes": may_see_own_notes(record),
        "only": seat,
        "marks": {trump: _marks(game, trump) for trump in trumps} if game is not None else {},
        "frames": list(_differences(frame_values(*one) for one in _with_substitutes(game_frames))),
        "record": canonical(record) if seat is None else None,
    }


def _marks_by_step(record: GameRecord, game_frames: Sequence[Frame], marks: Sequence[DecisionMark]) -> Values:
    """Return the marks on decisions, by hand and step of their frames."""
    by_place = {(one.hand, one.action): one for one in marks}
    return {
        f"{frame.hand}/{frame.step}": {
            "action": one.action,
            "text": one.sentence,
            "short": one.short,
            "in_time": one.is_shown_in_time,
            "values": {token: [text, round(100 * share)] for token, text, share in one.values},
        }
        for place, frame in places_of(record, game_frames, {one.seat for one in marks})
        if (one := by_place.get(place)) is not None
    }


def _tables_by_hand(marks: Sequence[HandMark]) -> Values:
    return {
        str(one.hand): {
            "title": one.table.title,
            "note": one.table.note,
            "columns": one.table.columns,
            "rows": one.table.rows,
        }
        for one in marks
    }


def story_values(fault: FaultRow) -> Values:
    """Return a fault's story: legal tokens, process end, last lines of stderr, and the log or why there is none."""
    return {
        "legal": list(fault.legal),
        "ended": fault.how_ended,
        "words": last_lines(fault.stderr),
        "log": fault.log or fault.no_log,
    }


def _clock(time: TimeControl) -> Values:
    return {
        "decision": time.per_decision_ms,
        "bank": time.bank_ms,
        "increment": time.increment_ms,
        "game": time.game_ms,
    }


def _fault(fault: FaultRecord) -> Values:
    return {"seat": fault.seat, "hand": fault.hand, "kind": fault.kind, "detail": fault.detail}


def _game(record: GameRecord) -> Game | None:
    """Return a game with these rules, which is needed for its pack; None if the recorded game was not played."""
    return new_game(record.variant, record.options, first_dealer=0, seed=bytes(32)) if record.hands else None


def trump_marks(variant: str, options: Mapping[str, OptionValue]) -> dict[str, dict[str, str]]:
    """Return the marks on a variant's cards, by trump and card, for every trump with marked cards."""
    game = new_game(variant, options, first_dealer=0, seed=bytes(32))
    return {trump: _marks(game, trump) for trump in SUITS}


def _marks(game: Game, trump: str) -> dict[str, str]:
    """Return the mark on each trump card: right bower, left bower, joker ("benny"), or other trump."""
    pack = game.rules.pack
    names = {f"J{trump}": "right", f"J{_MATE.get(trump, '')}": "left"} if trump in _MATE else {}
    codes = (pack.code[card] for card in pack.order(trump).ranking)
    return {code: "joker" if code.startswith("X") else names.get(code, "trump") for code in codes}


SUITS = ("s", "h", "d", "c")

_MATE = {"s": "c", "c": "s", "h": "d", "d": "h"}


def _with_substitutes(game_frames: list[Frame]) -> Iterator[tuple[Frame, frozenset[int]]]:
    """Yield each frame, and the seats whose card in the trick was chosen by the referee after a fault."""
    chosen: set[int] = set()
    place = (-1, -1)
    for frame in game_frames:
        if (frame.hand, frame.trick_number) != place or not frame.trick:
            chosen, place = set(), (frame.hand, frame.trick_number)
        if frame.substituted and frame.trick:
            chosen.add(frame.trick[-1][0])
        yield frame, frozenset(chosen)


def frame_values(frame: Frame, chosen: frozenset[int] = frozenset()) -> Values:
    """Return a frame under short keys, as `table.js` draws it.

    chosen: the seats whose card in the trick was chosen by the referee after a fault.
    """
    fault = frame.fault
    values: Values = {
        "h": frame.hand,
        "s": frame.step,
        "k": frame.kind,
        "a": frame.seat,
        "t": frame.said,
        "q": frame.public,
        "i": frame.token,
        "d": frame.dealer,
        "n": frame.actor,
        "g": frame.stage,
        "u": [frame.upcard, frame.upcard_place] if frame.upcard else None,
        "T": frame.trump,
        "m": frame.maker,
        "c": frame.contract,
        "w": frame.how,
        "l": frame.lone_defender,
        "r": [[seat, card, int(seat in chosen)] for seat, card in frame.trick],
        "x": frame.trick_number,
        "v": frame.winner,
        "o": [_pile(pile) for pile in frame.piles],
        "f": [[name, value] for name, value in frame.facts if not name.startswith("columns")],
        "e": list(frame.legal),
        "z": frame.ms,
        "b": int(frame.forced) + 2 * int(frame.substituted),
        "y": None if fault is None else [fault.seat, fault.kind, fault.limit_ms, fault.elapsed_ms, fault.detail],
    }
    for number, seat in enumerate(frame.seats):
        values[f"p{number}"] = _seat(seat)
    return values


def _pile(pile: Pile) -> list[object]:
    """Return a pile: its name for users, its known cards, its number of cards, and its seat."""
    word, _, seat = pile.name.partition(" ")
    known = {"seconds": "second hand", "dummies": "dummy", "unseen": "hand not yet seen"}
    return [known.get(word, word), " ".join(pile.cards), pile.number, int(seat) if seat.isdecimal() else None]


def _seat(seat: SeatFrame) -> list[object]:
    return [
        " ".join(seat.cards),
        seat.hidden,
        " ".join(seat.laid),
        seat.covered,
        " ".join(seat.put_away),
        seat.tricks,
        seat.score,
        seat.games,
        int(seat.active),
        seat.side,
        seat.bank_ms,
    ]


def _differences(states: Iterator[Values]) -> Iterator[Values]:
    last: Values = {}
    for state in states:
        yield {key: value for key, value in state.items() if key not in last or last[key] != value}
        last = state
