"""Analyses one game: the loss of each decision, and the result of each hand for each seat.

Input: a record, which is checked by replaying it, and the judge. Output: `GameAnalysis`. All points are whole
thousandths, so that sums are exact.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from bowerbird.bots.champion.judging import METHOD, Opinion, Question, hand_points
from bowerbird.bots.champion.network import NETWORKS, networks_of
from bowerbird.engine import Game, SeededPacks
from bowerbird.harness.extras.analysis.kinds import PLAYS, kind_of
from bowerbird.harness.extras.analysis.measure import loss_of
from bowerbird.harness.records.replay.replay import Step, replay
from bowerbird.harness.records.values.game_record import GameRecord, OptionValue

THOUSAND = 1000
"""Figures are in units of one point divided by this."""

BIDDING, EXCHANGE, LEAD, FOLLOW, ENDING = STAGES = ("bidding", "exchange", "lead", "follow", "ending")
"""The kinds of decisions. An ending is play with few enough tricks left for the judge to solve the rest."""

LONGEST_TEXT = 200
"""The maximum length of a text in an analysis, in characters."""

MOST_THOUSANDTHS = 1 << 40
"""A bound that no figure reaches."""

EXCHANGES = frozenset({"discard", "swap", "take", "exchange", "ask", "give", "show"})
"""The kinds of actions that move cards before the play."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of a bot that had a choice, in thousandths of a point.

    Attributes:
        hand, step, seat, bot: its place in the record, as `replay` counts, and the bot that decided.
        stage: one of STAGES.
        token: the chosen action.
        best: the action that the judge chooses after all worlds.
        did, better: the kinds of both actions (`kinds`).
        loss, error: see `measure.Loss`.
        values: the value of each legal action by token, in the network's order of preference.
    """

    hand: int
    step: int
    seat: int
    bot: str
    stage: str
    token: str
    best: str
    did: str
    better: str
    loss: int
    error: int
    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class SideHand:
    """The result of a finished hand for one seat, in thousandths of a point above the mean of its opponents.

        `result` is exactly `par - own + others + rest`.

    Attributes:
        hand, seat, side, bot: the hand, the seat, the number of its side at the table, and the bot that sat
        there.
        result: the result of the hand.
        par: the result if champion decides at all seats.
        own: the losses of all seats of its side.
        others: the part of the other sides' losses that this side gained.
        rest: the remainder, from cards that fell differently from expected and from what the judge does not see.
    """

    hand: int
    seat: int
    side: int
    bot: str
    result: int
    par: int
    own: int
    others: int
    rest: int


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """The analysis of a whole game."""

    decisions: tuple[Decision, ...]
    hands: tuple[SideHand, ...]


def refuse_impossible(found: GameAnalysis, record: GameRecord) -> None:
    """Raise ValueError unless all figures of an analysis from elsewhere can belong to a record.

    Each decision must be a decision of the record, and the parts of each hand must add up. The cost of a decision is
    not checked.
    """
    for one in found.decisions:
        actions: Sequence[str] = record.hands[one.hand].actions if 0 <= one.hand < len(record.hands) else ()
        if not 0 <= one.step < len(actions) or actions[one.step] != f"{one.seat} {one.token}":
            raise ValueError(f"hand {one.hand} has no decision {one.step} for {one.token!r} of seat {one.seat}")
        worths = dict(one.values)
        if one.token not in worths or one.best not in worths:
            raise ValueError(f"the actions of hand {one.hand}, decision {one.step} have no values")
        if one.stage not in STAGES:
            raise ValueError(f"{one.stage[:40]!r} is not a stage")
        for text in (one.did, one.better, *worths):
            if not text.isprintable() or len(text) > LONGEST_TEXT:
                raise ValueError(f"{text[:40]!r} is too long or not a text")
        _refuse_large(one.loss, one.error, *worths.values())
    for hand in found.hands:
        if not 0 <= hand.hand < len(record.hands):
            raise ValueError("it has more hands than the game")
        if hand.result != hand.par - hand.own + hand.others + hand.rest:
            raise ValueError(f"the parts of hand {hand.hand} do not add up")
        _refuse_large(hand.side, hand.result, hand.par, hand.own, hand.others, hand.rest)
    sat = {(one.seat, one.bot) for one in found.decisions} | {(one.seat, one.bot) for one in found.hands}
    for seat, bot in sorted(sat):
        if not 0 <= seat < len(record.seats) or record.seats[seat].bot != bot:
            raise ValueError(f"{bot[:40]!r} does not sit at seat {seat}")


def _refuse_large(*numbers: int) -> None:
    if any(abs(number) >= MOST_THOUSANDTHS for number in numbers):
        raise ValueError(f"a number of more than {MOST_THOUSANDTHS}")


class Judging(Protocol):
    """A judge of decisions: `Judge`, or a test's stand-in."""

    def opinions(self, questions: Sequence[Question]) -> list[Opinion]:
        """Return the judge's opinion of each decision in one hand."""

    def par(self, game: Game) -> tuple[float, ...]:
        """Return the expected points of the rest of the hand, by seat."""


def judge_name(variant: str, options: dict[str, OptionValue], worlds: int) -> str | None:
    """Return a name for a judge that fixes its figures (method, networks and worlds), or None without a judge."""
    if networks_of(variant, options) is None:
        return None
    networks = hashlib.sha256((NETWORKS / f"{variant}.npz").read_bytes()).hexdigest()[:12]
    return f"champion method {METHOD}, networks {networks}, {worlds} worlds"


def analysed(record: GameRecord, judge: Judging, name: str) -> GameAnalysis:
    """Return the analysis of a game that was played to its end.

    `name` is the judge's name. The worlds follow from it and from what the seat sees, so the same judge always finds
    the same result, even in another game with the same cards and decisions. The referee's decisions, those with one
    legal action and unfinished hands are left out. Raises RecordError if the record breaks the rules.
    """
    decisions: list[Decision] = []
    hands: list[SideHand] = []
    for number, found in groupby(replay(record), key=lambda step: step.hand):
        steps = list(found)
        if steps[-1].is_within_hand:
            continue
        made = judged_steps(steps, judge, name, [seat.bot for seat in record.seats])
        decisions += made
        hands += _side_hands(record, number, steps, made, judge)
    return GameAnalysis(tuple(decisions), tuple(hands))


def judged_steps(steps: Sequence[Step], judge: Judging, name: str, bots: Sequence[str]) -> list[Decision]:
    """Return the cost of each decision in the steps of a hand, except the referee's and those without a choice.

    name: the judge's name (`analysed`).
    bots: the bot at each seat.
    """
    asked = [step for step in steps if len(step.legal) > 1 and not (step.forced or step.substituted)]
    seen = [step.before.view(step.seat)[2:] for step in asked]  # without variant and options, which the name includes
    questions = [Question(step.before, random.Random(f"{name}/{view}")) for step, view in zip(asked, seen, strict=True)]
    opinions = judge.opinions(questions)
    return [_decision(step, opinion, bots[step.seat]) for step, opinion in zip(asked, opinions, strict=True)]


def _decision(step: Step, opinion: Opinion, bot: str) -> Decision:
    loss = loss_of(opinion, opinion.actions.index(step.action))
    means = opinion.worths.mean(axis=0).tolist()
    best = opinion.actions[opinion.choice()]
    return Decision(
        hand=step.hand,
        step=step.index,
        seat=step.seat,
        bot=bot,
        stage=_stage(step, opinion),
        token=step.token,
        best=str(best),
        did=kind_of(step.before, step.action),
        better=kind_of(step.before, best),
        loss=_thousandths(loss.points),
        error=_thousandths(loss.error),
        values=tuple((str(one), _thousandths(mean)) for one, mean in zip(opinion.actions, means, strict=True)),
    )


def _stage(step: Step, opinion: Opinion) -> str:
    kinds = {action.kind for action in step.legal}
    if kinds & PLAYS:
        return ENDING if opinion.is_solved else FOLLOW if step.before.trick else LEAD
    return EXCHANGE if kinds & EXCHANGES else BIDDING


def _side_hands(
    record: GameRecord, number: int, steps: Sequence[Step], made: Sequence[Decision], judge: Judging
) -> list[SideHand]:
    first = steps[0].before
    sides = first.rules.sides
    against = len(set(sides)) - 1
    lost = [0] * len(sides)
    for decision in made:
        lost[decision.seat] += decision.loss
    results = hand_points(steps[-1].after)
    pars = judge.par(_as_dealt(first))
    found = []
    for seat, side in enumerate(sides):
        own = sum(loss for loss, its in zip(lost, sides, strict=True) if its == side)
        others = round((sum(lost) - own) / against)
        result, par = _thousandths(results[seat]), _thousandths(pars[seat])
        rest = result - (par - own + others)
        found.append(SideHand(number, seat, side, record.seats[seat].bot, result, par, own, others, rest))
    return found


def _as_dealt(game: Game) -> Game:
    """Return the game with the cards as dealt, for another line of play.

    If only this line reaches a shuffle, in a showdown (rules.md V11.5.8), the record has no pack for it, so one is
    drawn.
    """
    dealt = game.with_packs(SeededPacks(bytes(32), "", 0))
    dealt.skip_later_shuffles()
    return dealt


def _thousandths(points: float) -> int:
    return round(points * THOUSAND)
