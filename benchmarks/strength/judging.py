"""How well champion judges decisions: the losses that it estimates, compared with playing the decisions out.

    .venv/bin/python -m benchmarks judging champion:3 --worlds 40 --deals 300 euchre
    .venv/bin/python -m benchmarks judging greedy --random --deals 100 euchre buck

A bot plays hands in all seats, and every decision with a choice is judged as in `bowerbird analyse`: the judge chooses
on one half of the worlds, and the other half says how much more that choice is worth than the bot's action. With
`--random` a random legal action is judged instead, and the bot plays on. For comparison, the network, which does not
use worlds or values, plays out both actions in the true hand in all seats. All losses are points of one seat in a deal.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.strength.duel import OPTIONS, Player, player_named
from benchmarks.strength.measured import add_options, add_result, mean_of, reach_of
from bowerbird.bots.champion.deciding import Decider, decider_of
from bowerbird.bots.champion.judging import Judge, Opinion, Question, hand_points
from bowerbird.bots.champion.network import variants_with_networks
from bowerbird.engine import Action, EngineError, Game, Rules, new_game, rules_of
from bowerbird.harness.extras.analysis.analysing import WORLDS
from bowerbird.harness.extras.analysis.measure import halves_of, loss_of


class Judged(NamedTuple):
    """The losses of a deal, per seat: as judged, according to each half, and as played out."""

    loss: float
    first: float
    second: float
    played: float


@dataclass(frozen=True)
class Calibration:
    """Losses per seat and deal, each with half its 95% interval; `difference` is judged minus played."""

    variant: str
    bot: str
    is_random: bool
    worlds: int
    deals: int
    decisions: int
    loss: float
    loss_reach: float
    halves: float
    halves_reach: float
    played: float
    difference: float
    difference_reach: float


def judged_deals(rules: Rules, player: Player, decider: Decider, asked: argparse.Namespace) -> Iterator[list[Judged]]:
    """Yield the judged decisions of each deal."""
    secret = hashlib.sha256(f"{asked.seed} {rules.variant}".encode()).digest()
    judge = Judge(decider, asked.worlds)
    for deal in range(asked.deals):
        game, rng = new_game(rules.variant, rules.options, seed=secret, set_number=deal), random.Random(deal)
        questions: list[Question] = []
        chosen: list[Action] = []
        while game.actor is not None:
            legal = game.legal_actions()
            action = legal[0] if len(legal) == 1 else player(game, rng)
            if len(legal) > 1:
                questions.append(Question(game.copy(), random.Random(f"{deal}/{len(questions)}")))
                chosen.append(rng.choice(legal) if asked.random else action)
            game.apply(action)
        opinions = judge.opinions(questions)
        yield [
            _judged(decider, question.game, opinion, action)
            for question, opinion, action in zip(questions, opinions, chosen, strict=True)
        ]


def _judged(decider: Decider, game: Game, opinion: Opinion, action: Action) -> Judged:
    place, half = opinion.actions.index(action), len(opinion.worths) // 2
    bests = [opinion.actions[opinion.choice(part)] for part in (slice(0, half), slice(half, None))]
    seat = game.actor
    assert seat is not None
    outcomes = {one: _played_out(decider, game, one)[seat] for one in {*bests, action}}
    played = sum(outcomes[best] for best in bests) / 2 - outcomes[action]
    first, second = halves_of(opinion, place)
    return Judged(loss_of(opinion, place).points, first, second, played)


def _played_out(decider: Decider, game: Game, action: Action) -> tuple[float, ...]:
    tried, hand = game.copy(), game.hand_number
    tried.skip_later_shuffles()
    tried.apply(action)
    decider.play_on([decider.follow(tried)], hand, lambda _place, _game: False)
    return hand_points(tried)


def calibration(variant: str, asked: argparse.Namespace) -> Calibration:
    """Return the result of a variant. Raises ValueError for an unknown bot, or a variant without networks."""
    rules = rules_of(variant).rules(OPTIONS)
    decider = decider_of(variant, rules.options)
    if decider is None:
        raise ValueError(f"champion has no networks for {variant}, and judges nothing")
    deals = list(judged_deals(rules, player_named(asked.bot, rules), decider, asked))
    sums = [Judged(*(sum(column) / rules.players for column in zip(*deal, strict=True))) for deal in deals if deal]
    loss = mean_of([one.loss for one in sums])
    halves = mean_of([one.first - one.second for one in sums])
    difference = mean_of([one.loss - one.played for one in sums])
    return Calibration(
        variant=variant,
        bot=asked.bot,
        is_random=asked.random,
        worlds=asked.worlds,
        deals=len(deals),
        decisions=sum(map(len, deals)),
        loss=round(loss.value, 4),
        loss_reach=round(reach_of(loss), 4),
        halves=round(halves.value, 4),
        halves_reach=round(reach_of(halves), 4),
        played=round(sum(one.played for one in sums) / len(sums), 4),
        difference=round(difference.value, 4),
        difference_reach=round(reach_of(difference), 4),
    )


def main() -> None:
    """Measure, and print a line for each variant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", metavar="BOT", help="the bot that plays, named as in duel")
    parser.add_argument("variants", metavar="VARIANT", nargs="*", help="default: all with networks")
    parser.add_argument("--random", action="store_true", help="judge random legal actions instead of the bot's")
    parser.add_argument("--worlds", type=int, default=WORLDS, help="worlds for each decision (%(default)s)")
    add_options(parser, "judging")
    asked = parser.parse_intermixed_args()
    for variant in asked.variants or variants_with_networks():
        try:
            found = calibration(variant, asked)
        except (EngineError, ValueError) as wrong:
            parser.error(str(wrong))
        print(
            f"{variant:<23}{found.bot:<12}{found.deals:>5} deals  lost {found.loss:.3f} ± {found.loss_reach:.3f}"
            f"  played out {found.played:.3f}  difference {found.difference:+.3f} ± {found.difference_reach:.3f}"
            f"  halves {found.halves:+.3f} ± {found.halves_reach:.3f}",
            flush=True,
        )
        add_result(asked.out, found)


if __name__ == "__main__":
    main()
