"""A replay trusts nothing: every played game can be replayed, and nothing else can."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from bowerbird.engine import RecordError, variant_names
from bowerbird.harness.records.replay.replay import REVEAL, ReplayError, check, replay
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.game_record import FaultRecord, GameRecord, HandRecord
from tests.support.records.played_games import SEED, after, game, play, spec_of, withdrawn

GAMES = 4


@pytest.mark.parametrize("variant", variant_names())
def test_every_game_that_is_played_can_be_read_and_played_again(variant: str) -> None:
    for number in range(GAMES):
        record = game(variant, number, options={"max_hands": 40})
        again = read(canonical(record))
        assert again == record
        check(again)
        check(again, SEED)


@pytest.mark.parametrize("variant", variant_names())
@pytest.mark.parametrize("on_fault", ["forfeit", "substitute"])
def test_games_with_faults_can_be_played_again(variant: str, on_fault: str) -> None:
    """protocol.md, Faults at a table: both policies, wherever the fault is."""
    for number, decisions in enumerate((0, 1, 7, 30)):
        untroubled = game(variant, number, options={"max_hands": 20})
        asked = sum(len(hand.actions) - len(hand.forced) for hand in untroubled.hands)
        record = game(
            variant,
            number,
            on_fault=on_fault,
            misbehave=after(min(decisions, asked - 1), None, "CRASHED"),
            options={"max_hands": 20},
        )
        assert len(record.faults) == 1
        assert (record.result.ended == "forfeit") == (on_fault == "forfeit")
        again = read(canonical(record))
        check(again)
        check(again, SEED)
        seen = [step.fault for step in replay(again) if step.fault]
        assert seen == (list(record.faults) if on_fault == "substitute" else [])


@pytest.mark.parametrize("variant", variant_names())
def test_a_game_that_stops_at_max_hands_can_be_played_again(variant: str) -> None:
    """rules.md A15."""
    record = game(variant, options={"max_hands": 1})
    assert len(record.hands) == 1
    check(record, SEED)


@pytest.mark.parametrize("variant", variant_names())
def test_a_game_without_its_withdrawn_bot_is_checked_too(variant: str) -> None:
    record = withdrawn(variant, 1)
    check(record)
    check(record, SEED)
    ranks = (1,) * len(record.seats)
    with pytest.raises(ReplayError, match="result: ranks"):
        check(replace(record, result=replace(record.result, ranks=ranks)))
    with pytest.raises(ReplayError, match="one fault for each of them"):
        check(replace(record, faults=()))


def test_steps_tell_the_whole_game() -> None:
    record = game("buck", 3)
    steps = list(replay(record))
    assert [f"{step.seat} {step.token}" for step in steps] == [text for hand in record.hands for text in hand.actions]
    for one, two in pairwise(steps):
        assert one.after is two.before
    for step in steps:
        assert step.before.actor == step.seat
        assert step.before.legal_actions() == step.legal
        assert step.action in step.legal
        assert step.ms == record.hands[step.hand].ms[step.index]
        assert step.forced == (step.index in record.hands[step.hand].forced)
        assert not step.substituted
    assert steps[-1].after.is_over
    assert not steps[-1].before.is_over, "what a step shows must not move on with the replay"


# Records that do not follow from their play are refused

BUCK = game("buck", 3)
EUCHRE = game("euchre", 3)


def with_hand(record: GameRecord, number: int, **changes: Any) -> GameRecord:
    hand = replace(record.hands[number], **changes)
    return replace(record, hands=(*record.hands[:number], hand, *record.hands[number + 1 :]))


def refused(record: GameRecord, says: str, seed: bytes | None = None) -> ReplayError:
    with pytest.raises(ReplayError, match=says) as refusal:
        check(read(canonical(record)), seed)
    assert refusal.value.game == record.id
    assert str(refusal.value).startswith(f"game {record.id}")
    return refusal.value


def test_an_illegal_action_is_refused_with_hand_action_and_legal_ones() -> None:
    hand = EUCHRE.hands[1]
    seat = hand.actions[0][0]
    error = refused(with_hand(EUCHRE, 1, actions=(f"{seat} play As", *hand.actions[1:])), "'play As' is not legal")
    assert (error.hand, error.action) == (1, 0)
    assert error.legal[0] == "pass"
    assert f"hand 1, action 0: 'play As' is not legal for seat {seat}; legal: pass, order" in str(error)


def test_a_word_that_is_no_action_is_refused_like_an_illegal_one() -> None:
    hand = EUCHRE.hands[0]
    refused(
        with_hand(EUCHRE, 0, actions=(f"{hand.actions[0][0]} surrender", *hand.actions[1:])), "'surrender' is not legal"
    )


def test_an_action_of_a_seat_whose_turn_it_is_not_is_refused() -> None:
    hand = EUCHRE.hands[0]
    wrong = f"{(int(hand.actions[0][0]) + 1) % 4} {hand.actions[0][2:]}"
    refused(with_hand(EUCHRE, 0, actions=(wrong, *hand.actions[1:])), f"seat {hand.actions[0][0]} must decide")


def other_pack(record: GameRecord) -> str:
    cards = record.hands[1].packs[0].split()
    return " ".join(cards[-1:] + cards[:-1])


REFUSALS: dict[str, tuple[Callable[[GameRecord], GameRecord], str]] = {
    "rules": (lambda r: replace(r, rules="0"), "rules are version '0'"),
    "variant": (lambda r: replace(r, variant="bukc"), "buck"),
    "option": (lambda r: replace(r, options={**r.options, "max_hands": -1}), "max_hands"),
    "options unresolved": (lambda r: replace(r, options={}), "not the resolved ones; missing: .*max_hands"),
    "seats": (lambda r: replace(r, seats=r.seats[:3]), "3 seats, .* has 4"),
    "first dealer": (lambda r: replace(r, first_dealer=7), "first dealer is seat 7 of 4"),
    "other dealer": (lambda r: replace(r, first_dealer=(r.first_dealer + 1) % 4), "hand 0: dealer is seat"),
    "dealer": (lambda r: with_hand(r, 1, dealer=(r.hands[1].dealer + 1) % 4), "hand 1: dealer is seat"),
    "no hand": (lambda r: replace(r, hands=()), "no hand was played"),
    "short pack": (lambda r: with_hand(r, 0, packs=(r.hands[0].packs[0][:-3],)), "pack"),
    "twice a card": (lambda r: with_hand(r, 0, packs=("As As " + r.hands[0].packs[0][6:],)), "pack|As"),
    "no pack": (lambda r: with_hand(r, 0, packs=()), "pack"),
    "extra pack": (lambda r: with_hand(r, 0, packs=r.hands[0].packs * 2), "pack"),
    "scores": (
        lambda r: with_hand(r, 0, scores=(9, *r.hands[0].scores[1:])),
        "hand 0: scores 9 .* do not follow from the play, which gives",
    ),
    "no scores": (lambda r: with_hand(r, 0, scores=()), "hand 0: .*scores are missing"),
    "hand cut short": (
        lambda r: with_hand(r, 0, actions=r.hands[0].actions[:-1], ms=r.hands[0].ms[:-1], forced=()),
        "has scores, but is not over",
    ),
    "hand too long": (
        lambda r: with_hand(r, 0, actions=(*r.hands[0].actions, "0 pass"), ms=(*r.hands[0].ms, 0)),
        "after the end of the hand",
    ),
    "last hand missing": (lambda r: replace(r, hands=r.hands[:-1]), "no pack is given, and the game needs one"),
    "a hand too many": (lambda r: replace(r, hands=(*r.hands, r.hands[-1])), "hand"),
    "winners": (lambda r: replace(r, result=replace(r.result, winners=(0, 1, 2, 3))), r"winners \[0 1 2 3\] does not"),
    "ranks": (lambda r: replace(r, result=replace(r.result, ranks=(4, 4, 4, 4))), "ranks .* does not follow"),
    "ended": (lambda r: replace(r, result=replace(r.result, ended="limit")), "ended 'limit' does not follow"),
    "games": (lambda r: replace(r, result=replace(r.result, games=(1, 1, 1, 1))), "games .* does not follow"),
    "forfeit": (lambda r: replace(r, result=replace(r.result, ended="forfeit")), "ended 'forfeit' does not follow"),
    "forced": (lambda r: with_hand(r, 0, forced=(0,), ms=(0, *r.hands[0].ms[1:])), "marked as forced, with"),
    "time of the referee": (
        lambda r: with_hand(r, 0, ms=tuple(5 if i in r.hands[0].forced else ms for i, ms in enumerate(r.hands[0].ms))),
        "5 ms are charged for an action of the referee",
    ),
    "substituted": (lambda r: with_hand(r, 0, substituted=(0,)), "substituted, but seat . was not at fault|charged"),
    "fault out of place": (
        lambda r: replace(r, faults=(FaultRecord(99, 0, 0, "ILLEGAL", 0, 0, ""),)),
        "was never asked",
    ),
}


def test_a_record_of_the_first_version_lacks_an_option_that_is_newer() -> None:
    options = {name: value for name, value in EUCHRE.options.items() if name != REVEAL}
    assert len(options) == len(EUCHRE.options) - 1
    check(replace(EUCHRE, options=options), SEED)
    del options["target"]
    refused(replace(EUCHRE, options=options), "not the resolved ones; missing: target$")


@pytest.mark.parametrize("record", [BUCK, EUCHRE], ids=["buck", "euchre"])
@pytest.mark.parametrize("name", REFUSALS)
def test_what_does_not_follow_is_refused(record: GameRecord, name: str) -> None:
    change, says = REFUSALS[name]
    refused(change(record), says)


def test_other_cards_than_the_seed_deals_are_refused() -> None:
    stranger = play(replace(spec_of("euchre", ("ann", "bob") * 2), entry="other"), random.Random(0))
    check(stranger)
    refused(stranger, "as the seed deals it|the seed gives", SEED)


def test_another_seed_than_the_committed_one_is_refused() -> None:
    refused(EUCHRE, "commitment is not that of the run's seed", bytes(32))


def substituted() -> GameRecord:
    return game("buck", 5, misbehave=after(6, None, "TIMEOUT"))


def test_what_was_substituted_is_what_the_seed_gives() -> None:
    record = substituted()
    check(record, SEED)
    other = replace(record, id=record.id[:-1] + "1")
    check(other)
    refused(other, "the seed gives|as the seed deals", SEED)


def test_a_seat_at_fault_does_nothing_more_by_itself() -> None:
    record = substituted()
    number, hand = next((n, hand) for n, hand in enumerate(record.hands) if hand.substituted)
    refused(
        with_hand(record, number, substituted=hand.substituted[1:]), "after its fault that the referee did not make"
    )


def test_a_fault_of_a_seat_that_was_not_to_decide_is_refused() -> None:
    record = substituted()
    (fault,) = record.faults
    refused(replace(record, faults=(replace(fault, seat=(fault.seat + 1) % 4),)), "must decide")


def test_a_second_fault_of_a_seat_is_refused() -> None:
    record = substituted()
    (fault,) = record.faults
    again = next(
        (number, index)
        for number, hand in enumerate(record.hands)
        for index in hand.substituted
        if (number, index) > (fault.hand, fault.action)
    )
    second = replace(fault, hand=again[0], action=again[1])
    refused(replace(record, faults=(fault, second)), "a second fault of seat")


def test_two_faults_for_one_decision_are_refused() -> None:
    record = substituted()
    refused(replace(record, faults=record.faults * 2), "two faults for one decision")


def test_what_was_forced_is_not_substituted_too() -> None:
    record = substituted()
    number, index = next(
        (number, index)
        for number, hand in enumerate(record.hands)
        for index in hand.forced
        if number > record.faults[0].hand and hand.actions[index][0] == str(record.faults[0].seat)
    )
    hand = record.hands[number]
    marked = tuple(sorted({*hand.substituted, index}))
    refused(with_hand(record, number, substituted=marked), "both forced and substituted")
    others = tuple(place for place in hand.forced if place != index)
    refused(with_hand(record, number, substituted=marked, forced=others), "with only one legal action it is forced")


def test_play_after_a_forfeit_is_refused() -> None:
    record = substituted()
    refused(replace(record, conditions=replace(record.conditions, on_fault="forfeit")), "play continues after a fault")


def test_a_forfeit_without_its_fault_is_refused() -> None:
    record = game("euchre", 2, on_fault="forfeit", misbehave=after(10, None, "TIMEOUT"))
    check(record, SEED)
    refused(replace(record, faults=()), "the game stops without a fault that forfeits it")
    refused(
        replace(record, conditions=replace(record.conditions, on_fault="substitute")),
        "without a fault that forfeits it",
    )


def test_a_forfeit_makes_the_offenders_side_last() -> None:
    """protocol.md, Faults at a table."""
    record = game("euchre", 2, on_fault="forfeit", misbehave=after(10, None, "TIMEOUT"))
    side = record.faults[0].seat % 2
    assert record.result.ranks == tuple(2 if seat % 2 == side else 1 for seat in range(4))
    assert record.result.winners == tuple(seat for seat in range(4) if seat % 2 != side)
    last = game("buck", 4, on_fault="forfeit", misbehave=after(25, None, "TIMEOUT"))
    offender = last.faults[0].seat
    assert last.result.ranks[offender] == max(last.result.ranks)
    assert offender not in last.result.winners
    scores = last.scores or (25,) * 4
    others = [seat for seat in range(4) if seat != offender]
    best = min(scores[seat] for seat in others)
    assert last.result.winners == tuple(seat for seat in others if scores[seat] == best), "buck counts down"
    refused(replace(last, result=replace(last.result, winners=(offender,))), "winners .* does not follow")


def test_refusals_are_record_errors() -> None:
    with pytest.raises(RecordError):
        check(replace(EUCHRE, hands=EUCHRE.hands[:-1]))
    assert isinstance(EUCHRE.hands[0], HandRecord)
