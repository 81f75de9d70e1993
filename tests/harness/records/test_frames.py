"""Pictures of the table, one for each step: the whole game, or only what one seat knew."""

from __future__ import annotations

import re
from collections import Counter, deque
from dataclasses import asdict, replace

import pytest

from bowerbird.engine import variant_names
from bowerbird.harness.records.replay.frames import Frame, frames
from bowerbird.harness.records.replay.replay import ReplayError, replay
from bowerbird.harness.records.replay.visibility import PUBLIC
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.game_record import GameRecord
from tests.support.records.make_fixtures import FOLDER as FIXTURES
from tests.support.records.played_games import after, game, withdrawn

CARD = re.compile(r"\b(?:[AKQJT2-9][shdc]|X[123rb])\b")
EACH = pytest.mark.parametrize("variant", variant_names())


def actions(pictures: list[Frame]) -> list[tuple[int, int | None, str]]:
    return [(frame.hand, frame.seat, frame.token) for frame in pictures if frame.kind == "action"]


def short(variant: str) -> GameRecord:
    return game(variant, 6, options={"max_hands": 3})


@EACH
def test_every_action_has_its_picture_and_every_hand_its_scores(variant: str) -> None:
    record = short(variant)
    pictures = list(frames(record))
    assert actions(pictures) == [(step.hand, step.seat, step.token) for step in replay(record)]
    ends = [frame for frame in pictures if frame.kind == "end"]
    assert [tuple(seat.score for seat in frame.seats) for frame in ends] == [hand.scores for hand in record.hands]
    assert [frame.hand for frame in pictures if frame.kind == "deal"] == list(range(len(record.hands)))
    for number in range(len(record.hands)):
        steps = [frame.step for frame in pictures if frame.hand == number]
        assert steps == list(range(len(steps))), "steps are counted from 0 in each hand"


@EACH
def test_a_card_played_has_left_the_hand_and_lies_in_the_trick(variant: str) -> None:
    for frame in frames(short(variant)):
        if frame.token.startswith("play "):
            seat, card = frame.trick[-1]
            assert seat == frame.seat
            assert card == frame.token.split(" ")[1]
        held = [card for seat in frame.seats for card in seat.cards + seat.laid]
        is_double = variant in ("cornish", "bid-euchre")
        assert len(held) == len(set(held)) or is_double, f"{frame.said}: a card is in two places"


@EACH
def test_winners_of_tricks_are_those_that_the_tricks_count_for(variant: str) -> None:
    for frame in frames(short(variant)):
        if frame.kind == "end":
            continue
        if frame.winner is not None:
            assert frame.winner in {seat for seat, _ in frame.trick}
            assert sum(seat.tricks for seat in frame.seats) == frame.trick_number + 1


@EACH
@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_is_shown_no_card_that_it_did_not_know(variant: str, seat: int) -> None:
    """rules.md A9."""
    record = short(variant)
    known: dict[int, set[str]] = {}
    for step in replay(record):
        cards = known.setdefault(step.hand, set())
        cards |= set(CARD.findall(repr(step.before.view(seat).fields())))
        if step.seat == seat or step.action.kind in ("play", "dictate"):
            cards.add(step.action.card)
    for frame in frames(record, seat):
        shown = set(CARD.findall(repr(asdict(frame))))
        assert shown <= known[frame.hand], f"hand {frame.hand}, step {frame.step}: {shown - known[frame.hand]}"
        for other, place in enumerate(frame.seats):
            assert other == seat or (place.cards, place.put_away, place.bank_ms) == ((), (), None)
        assert frame.legal == () or frame.seat == seat


@pytest.mark.parametrize(("seat", "last"), [(3, "decline"), (0, "discard"), (1, "discard"), (PUBLIC, "discard")])
def test_a_private_answer_that_tells_a_seat_nothing_has_no_picture_for_it(seat: int, last: str) -> None:
    """rules.md V4.5.3: nobody else may know that the maker was asked for a jamboree."""
    claimed = read((FIXTURES / "euchre" / "hand-claimed.toml").read_bytes())
    hand = replace(claimed.hands[0], actions=("3 order", "2 discard As", "3 decline"), scores=())
    shown: list[Frame] = []
    with pytest.raises(ReplayError, match="the game stops"):
        deque(map(shown.append, frames(replace(claimed, hands=(hand,)), seat)))  # what comes before the error counts
    assert shown[-1].token == last


def test_a_claimed_jamboree_is_laid_open_and_the_other_hands_stay_hidden() -> None:
    record = read((FIXTURES / "euchre" / "hand-claimed.toml").read_bytes())
    (end,) = [frame for frame in frames(record, PUBLIC) if frame.kind == "end"]
    assert [(seat.hidden, len(seat.laid)) for seat in end.seats] == [(5, 0), (5, 0), (5, 0), (0, 5)]


def test_what_a_seat_saw_is_less_and_counts_the_cards_of_others() -> None:
    record = short("euchre")
    opened, seen = list(frames(record)), list(frames(record, 1))
    assert [place.hidden for place in seen[0].seats] == [5, 0, 5, 5]
    assert seen[0].seats[1].cards == opened[0].seats[1].cards
    assert all(place.hidden == 0 for frame in opened for place in frame.seats)


@pytest.mark.parametrize("kind", ["TIMEOUT", "ILLEGAL", "CRASHED"])
def test_a_fault_has_a_picture_of_its_own_and_what_was_substituted_is_marked(kind: str) -> None:
    record = game("buck", 1, on_fault="substitute", misbehave=after(9, None, kind))
    pictures = list(frames(record))
    (place,) = [number for number, frame in enumerate(pictures) if frame.kind == "fault"]
    fault = pictures[place].fault
    assert fault == record.faults[0]
    assert f"seat {fault.seat} " in pictures[place].said
    assert kind in pictures[place].said
    substituted = [frame for frame in pictures if frame.substituted]
    assert substituted
    assert {frame.seat for frame in substituted} == {fault.seat}
    assert pictures[place + 1].seat == fault.seat


def test_others_are_not_told_what_a_faulty_seat_sent() -> None:
    record = game("buck", 1, on_fault="substitute", misbehave=after(9, None, "ILLEGAL"))
    seat = record.faults[0].seat
    for reader, told in ((seat, True), ((seat + 1) % 4, False)):
        (frame,) = [frame for frame in frames(record, reader) if frame.kind == "fault"]
        assert ("exit status 3" in repr(asdict(frame))) == told


@pytest.mark.parametrize("decisions", [0, 9, 40])
def test_a_forfeit_ends_with_the_fault_and_the_outcome(decisions: int) -> None:
    record = game("buck", 1, on_fault="forfeit", misbehave=after(decisions, None, "CRASHED"))
    last = list(frames(record))[-1]
    assert last.kind == "fault"
    assert "CRASHED" in last.said
    assert "Game over (forfeit)" in last.said


def test_the_reserve_of_time_goes_down_by_what_a_decision_took_too_long() -> None:
    record = game("euchre", 3, options={"max_hands": 1})
    (hand,) = record.hands
    slow = record.conditions.time.per_decision_ms + 100
    times = tuple(0 if index in hand.forced else slow for index in range(len(hand.ms)))
    *_, last = frames(replace(record, hands=(replace(hand, ms=times),)))
    late = Counter(int(action[0]) for action, ms in zip(hand.actions, times, strict=True) if ms)
    assert late
    assert [place.bank_ms for place in last.seats] == [5000 - 100 * late[seat] for seat in range(4)]


def test_a_game_that_was_not_played_has_no_picture() -> None:
    assert list(frames(withdrawn("euchre", 1))) == []


def test_a_seat_that_is_not_there_is_said() -> None:
    with pytest.raises(ReplayError, match="there is no seat 4; it has seats 0 to 3"):
        frames(short("euchre"), 4)
