"""A spectator sees every step of a game, and only cards that lie on the table for all to see."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, replace

import pytest

from bowerbird.engine import SeatView, variant_names
from bowerbird.harness.extras.watch import wire
from bowerbird.harness.records.replay.frames import Frame, frames
from bowerbird.harness.records.replay.replay import replay
from bowerbird.harness.records.replay.visibility import PUBLIC
from bowerbird.harness.records.replay.words import SIGNS
from bowerbird.harness.referee.table_watch import gone
from bowerbird.harness.watch.values import TableEnded, TableUpdate, Thinking
from bowerbird.watch.v1 import watch_pb2
from tests.support.records.live_games import LiveGame
from tests.support.records.played_games import after

CARD = re.compile(r"\b(?:[AKQJT2-9][shdc]|X[123rb])\b")
SIGNED = re.compile(f"[AKQJT2-9][{''.join(sign for sign in SIGNS.values() if len(sign) == 1)}]")
LETTERS = {sign: letter for letter, sign in SIGNS.items()}
EACH = pytest.mark.parametrize("variant", variant_names())


def watched(game: LiveGame, size: int = 1) -> list[TableUpdate]:
    """Return the updates of somebody who watches from the first card on and looks at every `size`-th step."""
    table = game.table()
    updates = list(table.catch_up([]))
    for first in range(0, len(game.steps), size):
        more, lost = table.take(game.steps[first : first + size], most=1000)
        assert not lost
        updates += more
    return updates


@EACH
@pytest.mark.parametrize("size", [1, 7])
def test_a_spectator_sees_the_frames_of_the_record_without_the_cards_that_nobody_showed(
    variant: str, size: int
) -> None:
    game = LiveGame(variant)
    *seen, end = (update for update in watched(game, size) if not isinstance(update, Thinking))
    result = game.record.result
    assert end == TableEnded(result.ended, result.winners, result.ranks)
    assert seen == list(frames(game.record, PUBLIC))


@pytest.mark.parametrize("on_fault", ["substitute", "forfeit"])
@pytest.mark.parametrize("place", [0, 9])
def test_faults_are_shown_as_in_the_record_and_without_their_details(on_fault: str, place: int) -> None:
    game = LiveGame("euchre", misbehave=after(place, None, "CRASHED"), on_fault=on_fault)
    assert game.record.faults
    *seen, end = (update for update in watched(game) if not isinstance(update, Thinking))
    expected = list(frames(game.record, PUBLIC))
    assert seen[-len(expected) :] == expected or place == 0, "a record without an action has no frame of its deal"
    assert isinstance(end, TableEnded)
    assert frames_in(seen)[-1].said == expected[-1].said
    assert "exit status" in repr(game.record.faults)
    assert "exit status" not in repr(seen)


def shown_cards(frame: Frame) -> set[str]:
    """Return every card in a frame as it travels to a spectator, in its fields and in its words."""
    sent = wire.value_from(Frame, wire.message_of(watch_pb2.Frame, frame))
    text = repr(asdict(sent))
    signed = {found[0] + LETTERS[found[1]] for found in SIGNED.findall(text)}
    return set(CARD.findall(text)) | signed


def public_cards(view: SeatView) -> set[str]:
    """Return the cards in a view that are not the seat's own."""
    fields = view.fields()
    return set(CARD.findall(repr({name: fields[name] for name in fields if name not in ("hand", "memory", "legal")})))


@EACH
def test_a_spectator_is_sent_no_card_that_every_seat_has_not_seen(variant: str) -> None:
    """rules.md A9; the law of the open hand."""
    record = LiveGame(variant).record
    known: dict[int, set[str]] = {}
    for step in replay(record):
        cards = known.setdefault(step.hand, set())
        views = [step.before.view(seat) for seat in range(step.before.players)]
        cards |= set.intersection(*map(public_cards, views))
        if step.action.kind in ("play", "dictate"):
            cards.add(step.action.card)
    for frame in frames(record, PUBLIC):
        extra = shown_cards(frame) - known[frame.hand]
        assert not extra, f"hand {frame.hand}, step {frame.step} ({frame.said}) shows {sorted(extra)}"


@EACH
def test_no_frame_of_a_spectator_has_a_hand_a_reason_or_a_choice(variant: str) -> None:
    for frame in frames(LiveGame(variant).record, PUBLIC):
        assert not frame.legal
        assert not frame.forced
        assert frame.fault is None or not frame.fault.detail
        assert not any(seat.cards or seat.put_away for seat in frame.seats)
        assert not any(pile.cards for pile in frame.piles)


@EACH
def test_a_frame_comes_through_the_wire_as_it_was(variant: str) -> None:
    for frame in frames(LiveGame(variant).record, PUBLIC):
        fault = frame.fault
        sent = replace(frame, fault=fault and replace(fault, hand=frame.hand, action=frame.step))
        assert wire.value_from(Frame, wire.message_of(watch_pb2.Frame, sent)) == sent


def test_a_seat_that_thinks_is_named_unless_it_decides_in_secret() -> None:
    game = LiveGame("euchre")
    thinking = [update for update in watched(game) if isinstance(update, Thinking)]
    assert {one.seat for one in thinking} == {0, 1, 2, 3}
    secret = [update for update in watched(LiveGame("dirty-clubs")) if isinstance(update, Thinking)]
    assert all(one.limit_ms > 0 for one in thinking + secret)


def test_who_comes_later_sees_the_present_hand_from_its_deal() -> None:
    game = LiveGame("euchre")
    for place in range(1, len(game.steps) - 1):
        early = game.table()
        seen = frames_in(early.catch_up([]))
        for one in game.steps[:place]:
            seen += frames_in(early.take([one], most=10)[0])
        hand = [frame for frame in seen if frame.hand == seen[-1].hand]
        assert frames_in(game.table().catch_up(game.steps[:place])) == hand


def frames_in(updates: Sequence[TableUpdate]) -> list[Frame]:
    return [update for update in updates if isinstance(update, Frame)]


def test_a_spectator_who_loses_steps_sees_the_same_table_afterwards() -> None:
    """Each frame is complete, so a lost one does no harm."""
    game = LiveGame("euchre")
    table = game.table()
    table.catch_up([])
    updates, lost = table.take(game.steps, most=4)
    assert lost == sum(len(one.actions) for one in game.steps) - 4
    last, *_ = reversed(frames_in(updates))
    assert replace(last, step=0) == replace(list(frames(game.record, PUBLIC))[-1], step=0)


def test_a_table_that_is_gone_says_so() -> None:
    game = LiveGame("euchre")
    assert game.table().catch_up([gone(game.record.id)])[-1] == TableEnded("gone")
