"""A game as the values that its page shows: every state is worked out here, by the engine; the page only draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine import Game, new_game, rules_of
from harness.records.canonical import canonical
from harness.records.frames import Frame, Pile, Place, frames
from harness.records.record import FaultRecord, GameRecord
from harness.records.rows import FaultRow
from harness.records.sight import seen_fault, seen_story
from harness.records.words import SIGNS
from harness.report.fault_story import story_values

Values = dict[str, object]


def replay_data(record: GameRecord, seat: int | None = None, stories: Sequence[FaultRow] = ()) -> Values:
    """Everything a replay page knows of a game. With `seat` that is what this seat knew: others' cards, times and the
    record itself are not in it, and of `stories` only what `sight.seen_story` lets it see.

    `frames` are differences: each has the keys whose values are not those of the frame before. Raises RecordError where
    the record does not follow the rules.
    """
    rules = rules_of(record.variant)
    pictures = list(frames(record, seat))
    trumps = dict.fromkeys(frame.trump for frame in pictures if frame.trump in SIGNS)
    game = _game(record)
    defaults = {name: option.default for name, option in rules.options.items()}
    clock = record.conditions.time
    return {
        "id": record.id,
        "variant": record.variant,
        "title": rules.title,
        "options": [[key, value] for key, value in sorted(record.options.items()) if defaults.get(key) != value],
        "better": rules.better,
        "teams": rules.teams(record.options) is not None,
        "seats": [{"bot": one.bot, "version": one.version} for one in record.seats],
        "clock": {"decision": clock.per_decision_ms, "bank": clock.bank_ms, "increment": clock.increment_ms},
        "conditions": f"on a fault {record.conditions.on_fault}, isolation {record.conditions.isolation}",
        "commitment": record.commitment,
        "result": {"ended": record.result.ended, "winners": record.result.winners, "ranks": record.result.ranks},
        "faults": [_fault(seen_fault(fault, seat)) for fault in record.faults],
        "stories": {
            str(seen.seat): story_values(seen) for fault in stories if (seen := seen_story(fault, seat)) is not None
        },
        "only": seat,
        "marks": {trump: _marks(game, trump) for trump in trumps} if game is not None else {},
        "frames": list(_differences(_frame(*one) for one in _with_substitutes(pictures))),
        "record": canonical(record) if seat is None else None,
    }


def _fault(fault: FaultRecord) -> Values:
    return {"seat": fault.seat, "hand": fault.hand, "kind": fault.kind, "detail": fault.detail}


def _game(record: GameRecord) -> Game | None:
    """Any game of these rules, for its pack; None for one that was not played."""
    return new_game(record.variant, record.options, first_dealer=0, seed=bytes(32)) if record.hands else None


def _marks(game: Game, trump: str) -> dict[str, str]:
    """How the trumps are marked: right bower, left bower, joker ("benny"), any other trump."""
    pack = game.rules.pack
    names = {f"J{trump}": "right", f"J{_MATE.get(trump, '')}": "left"} if trump in _MATE else {}
    codes = (pack.code[card] for card in pack.order(trump).ranking)
    return {code: "joker" if code.startswith("X") else names.get(code, "trump") for code in codes}


_MATE = {"s": "c", "c": "s", "h": "d", "d": "h"}


def _with_substitutes(pictures: list[Frame]) -> Iterator[tuple[Frame, frozenset[int]]]:
    """Each picture with the seats whose card in the trick the referee chose after a fault."""
    chosen: set[int] = set()
    place = (-1, -1)
    for frame in pictures:
        if (frame.hand, frame.trick_number) != place or not frame.trick:
            chosen, place = set(), (frame.hand, frame.trick_number)
        if frame.substituted and frame.trick:
            chosen.add(frame.trick[-1][0])
        yield frame, frozenset(chosen)


def _frame(frame: Frame, chosen: frozenset[int]) -> Values:
    """A picture under short keys; what is absent is left out."""
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
    for seat, place in enumerate(frame.places):
        values[f"p{seat}"] = _place(place)
    return values


def _pile(pile: Pile) -> list[object]:
    """A pile: its name for people, the cards that are known, how many there are, and the seat that it lies before."""
    word, _, seat = pile.name.partition(" ")
    known = {"seconds": "second hand", "dummies": "dummy", "unseen": "hand not yet seen"}
    return [known.get(word, word), " ".join(pile.cards), pile.number, int(seat) if seat.isdecimal() else None]


def _place(place: Place) -> list[object]:
    return [
        " ".join(place.cards),
        place.hidden,
        " ".join(place.laid),
        place.covered,
        " ".join(place.put_away),
        place.tricks,
        place.score,
        place.games,
        int(place.active),
        place.side,
        place.bank_ms,
    ]


def _differences(states: Iterator[Values]) -> Iterator[Values]:
    last: Values = {}
    for state in states:
        yield {key: value for key, value in state.items() if key not in last or last[key] != value}
        last = state
