"""The replay in the terminal shows the whole game, or only what one seat knew."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from bowerbird.engine import variant_names
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.replay.frames import frames
from bowerbird.harness.records.replay.render import PLAIN, SUITS, Style, render
from bowerbird.harness.records.replay.replay import ReplayError, replay
from bowerbird.harness.records.replay.words import card_sign
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.game_record import GameRecord
from tests.support.records.make_fixtures import FOLDER
from tests.support.records.played_games import after, game, notes_of, withdrawn

EUCHRE = game("euchre", 3)


def text(record: GameRecord, *, seat: int | None = None, hand: int | None = None, style: Style = PLAIN) -> str:
    return "\n".join(render(record, seat=seat, hand=hand, style=style))


def test_every_action_of_the_game_is_shown() -> None:
    shown = text(EUCHRE)
    for number, hand in enumerate(EUCHRE.hands):
        assert f"hand {number}, dealer seat {hand.dealer}" in shown
        assert f"  scores  {'  '.join(map(str, hand.scores))}" in shown
    for step in replay(EUCHRE):
        if step.action.kind == "play":
            assert re.search(rf"\b{step.seat} {step.action.card}\b", shown)
        else:
            assert f"seat {step.seat}  {step.token}" in shown
    assert f"ended: {EUCHRE.result.ended}; won by seat" in shown
    played = sum(any(" play " in action for action in hand.actions) for hand in EUCHRE.hands)
    assert shown.count("  trick ") == 5 * played


def test_each_trick_names_its_winner() -> None:
    shown = text(EUCHRE)
    tricks = [line for line in shown.split("\n") if line.startswith("  trick ")]
    assert tricks
    assert all(re.search(r"won by [0-3]$", line) for line in tricks)
    plays = [step for step in replay(EUCHRE) if step.action.kind == "play"]
    leaders = [step.seat for step in plays if not step.before.view(0).trick]
    winners = [int(line[-1]) for line in tricks]
    for number, hand_starts in enumerate(line.startswith("  trick 1 ") for line in tricks):
        if not hand_starts:
            assert leaders[number] == winners[number - 1], "who wins a trick leads to the next (A5)"


@pytest.mark.parametrize("variant", variant_names())
@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_is_shown_nothing_that_it_did_not_know(variant: str, seat: int) -> None:
    """A replay trusts nothing: every played game can be replayed, and nothing else can."""
    record = game(variant, 6, options={"max_hands": 3})
    for number in range(len(record.hands)):
        steps = [step for step in replay(record) if step.hand == number]
        known: set[str] = set()
        for step in steps:
            known |= set(re.findall(r"\b(?:[AKQJT2-9][shdc]|X[123rb])\b", repr(step.before.view(seat).fields())))
            if step.seat == seat or step.action.kind in ("play", "dictate"):
                known.add(step.action.card)
        shown = re.findall(r"\b(?:[AKQJT2-9][shdc]|X[123rb])\b", text(record, seat=seat, hand=number))
        assert set(shown) <= known, f"seat {seat} did not know {set(shown) - known}"


@pytest.mark.parametrize("variant", variant_names())
def test_with_reveal_at_end_a_seat_is_shown_all_cards_after_the_scoring_and_none_before(variant: str) -> None:
    """rules.md A9: `reveal_at_end` shows all cards after scoring; it has no effect on play."""
    hidden, revealed = (game(variant, 6, options={"max_hands": 1, "reveal_at_end": on}) for on in (False, True))
    assert revealed.hands == hidden.hands, "the option has an effect on play"
    before, _, after_it = text(revealed, seat=0, hand=0).partition("\n  scores ")
    assert text(hidden, seat=0, hand=0).partition("\n  scores ")[0].split("\n")[2:] == before.split("\n")[2:]
    last = list(replay(revealed))[-1].before
    for other in range(1, len(revealed.seats)):
        for memory in last.view(other).memory:
            told = (
                rf"seat {other}  (was dealt|took up|discarded|gave|was given|picked up|left) {' '.join(memory.cards)}"
            )
            assert re.search(told, after_it), f"{memory} of seat {other} is not told after the scoring"


@pytest.mark.parametrize("name", ["hand-claimed", "rule-misdeal-nines-tens"])
@pytest.mark.parametrize("seat", [None, 0, 1, 2, 3])
def test_the_cards_of_a_claim_are_shown_to_a_reader_from_any_seat(name: str, seat: int | None) -> None:
    """rules.md B6, V3.5.4: whoever claims shows his five cards to all."""
    record = read((FOLDER / "euchre" / f"{name}.toml").read_bytes())
    last = list(replay(record))[-1]
    cards = " ".join(last.before.view(last.seat).hand)
    assert f"  seat {last.seat}  shows {cards}\n" in text(record, seat=seat, hand=0)
    end = list(frames(record, seat))[-1]
    assert (end.kind, end.seats[last.seat].laid) == ("end", tuple(cards.split()))
    assert f"shows {' '.join(map(card_sign, cards.split()))}" in end.said


def test_discards_of_others_are_shown_without_their_card() -> None:
    record, step = next(
        (record, step)
        for record in (game("euchre", number) for number in range(3, 30))
        for step in replay(record)
        if step.action.kind == "discard" and not step.forced
    )
    other = (step.seat + 1) % 4
    assert f"seat {step.seat}  {step.token}" in text(record, hand=step.hand)
    assert f"seat {step.seat}  {step.token}" in text(record, hand=step.hand, seat=step.seat)
    lines = text(record, hand=step.hand, seat=other).split("\n")
    assert f"  seat {step.seat}  discard" in lines
    assert sum("hidden" in line for line in lines) == 3


def test_one_hand_is_shown_alone() -> None:
    shown = text(EUCHRE, hand=1)
    assert re.findall(r"^hand (\d+)", shown, re.MULTILINE) == ["1"]


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        ((None, 99), "there is no hand 99; it has hands 0 to"),
        ((4, None), "there is no seat 4; it has seats 0 to 3"),
    ],
)
def test_a_hand_or_seat_that_is_not_there_is_said(wish: tuple[int | None, int | None], says: str) -> None:
    with pytest.raises(ReplayError, match=says):
        text(EUCHRE, seat=wish[0], hand=wish[1])


@pytest.mark.parametrize("on_fault", ["forfeit", "substitute"])
def test_a_fault_is_shown_where_it_fell(on_fault: str) -> None:
    record = game("buck", 1, on_fault=on_fault, misbehave=after(9, None, "TIMEOUT"))
    (fault,) = record.faults
    shown = text(record)
    assert (
        f"  fault   TIMEOUT of seat {fault.seat} ({record.seats[fault.seat].bot}), 6031 ms of 6020 ms: exit status 3"
        in shown
    )
    assert ("(substituted)" in shown) == (on_fault == "substitute")
    assert f"fault   TIMEOUT of seat {fault.seat}" in text(record, hand=fault.hand)


def test_a_fault_before_the_first_card_is_shown() -> None:
    record = game("buck", 1, on_fault="forfeit", misbehave=after(0, None, "NEVER_STARTED"))
    assert "fault   NEVER_STARTED of seat" in text(record)
    assert "fault   NEVER_STARTED of seat 1" in text(withdrawn("euchre", 1))


def test_what_a_bot_sent_cannot_move_the_cursor() -> None:
    record = game("buck", 1, on_fault="forfeit", misbehave=after(9, None, "ILLEGAL"))
    evil = replace(record, faults=(replace(record.faults[0], detail="\x1b[2J\x07\u202e\r\nhand 7"),))
    shown = text(evil)
    assert not any((ord(character) < 32 and character != "\n") or character == "\u202e" for character in shown)
    assert "\\u001b[2J" in shown


def test_an_illegal_action_stops_the_replay_after_what_was_right() -> None:
    hand = EUCHRE.hands[1]
    wrong = replace(hand, actions=(*hand.actions[:1], "0 play 9c", *hand.actions[2:]))
    lines: list[str] = []
    with pytest.raises(ReplayError, match="hand 1, action 1"):
        lines.extend(line for line in render(replace(EUCHRE, hands=(EUCHRE.hands[0], wrong, *EUCHRE.hands[2:]))))
    with pytest.raises(ReplayError):
        text(replace(EUCHRE, hands=(EUCHRE.hands[0], wrong, *EUCHRE.hands[2:])), hand=0)


def test_suits_are_signs_where_wanted() -> None:
    plain, signs = text(EUCHRE, style=PLAIN), text(EUCHRE, style=SUITS)
    assert not re.search("[♠♥♦♣]", plain)
    assert not re.search(r"\b[AKQJT9][shdc]\b", signs)
    assert len(plain.split("\n")) == len(signs.split("\n"))


def tagged(mark: str) -> Callable[[str], str]:
    return lambda part: f"<{mark}>{part}</{mark}>"


def test_a_style_dresses_up_and_changes_nothing_else() -> None:
    marked = Style(*map(tagged, "abcdef"))
    assert re.sub(r"</?[a-f]>", "", text(EUCHRE, style=marked)) == text(EUCHRE)


def test_a_note_stands_below_its_action_or_the_trick_of_its_card() -> None:
    """And nothing of it can steer a terminal."""
    record = game("euchre", 3, options={"max_hands": 2})
    notes = notes_of(record)
    plain, noted = list(render(record)), list(render(record, notes=notes))
    lines = [line for line in noted if line.startswith("          note of seat ")]
    assert [line for line in noted if line not in lines] == plain, "everything else stays as it was"
    assert [line.strip() for line in lines] == [f"note of seat {note.seat}: {shown(note.text)}" for note in notes]
    assert all(line.isprintable() for line in lines)


def test_the_notes_of_a_hand_are_shown_with_it_alone() -> None:
    record = game("euchre", 3, options={"max_hands": 2})
    notes = notes_of(record)
    shown_lines = [line for line in render(record, hand=1, notes=notes) if "note of seat" in line]
    assert len(shown_lines) == sum(note.hand == 1 for note in notes) > 0
