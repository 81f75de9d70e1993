"""Random tournaments in a database: every format, ties, withdrawals, annulled bots, perfect scores, islands, one game.

The test decides who wins, as in `made_results`. The games are real ones of one hand under other bots' names, so that
thousands of tournaments are made in minutes; they are stored, not verified.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_record import Conditions, GameRecord, OptionValue, SeatRecord, TimeControl
from bowerbird.harness.records.values.outcome import sides_of
from bowerbird.harness.records.values.run import CompletedSet, SetKey
from bowerbird.harness.referee.game.faults import Fault
from bowerbird.harness.referee.game.table import unplayed
from bowerbird.harness.referee.spec import TableSpec
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.corrections import withdraw_bot
from bowerbird.harness.tournament.errors import CorrectionError
from bowerbird.harness.tournament.formats.rounds import RoundSequence
from bowerbird.harness.tournament.plan import Plan, make_plan
from tests.support.records.played_games import play, spec_of
from tests.support.tournament.bot_folders import Yard

FORMATS = ("round-robin", "gauntlet", "swiss", "knockout", "adaptive")
VARIANTS = ("two-handed", "euchre", "buck", "cut-throat")
ANNULLED = 0.05
"""How likely it is that the games of a bot are annulled afterwards."""

CONDITIONS = Conditions("forfeit", "limits", "seat", TimeControl())


@dataclass(frozen=True, slots=True)
class Law:
    """Who wins, and who is withdrawn when.

    strengths: by bot. Equal bots tie each deal set: a game each, or every game if `level`.
    chance: how often a game ends at random instead.
    withdrawn: by bot, the number of games of the run after which it plays none.
    """

    strengths: Mapping[str, int]
    level: bool
    chance: float
    withdrawn: Mapping[str, int]


def store_random_run(yard: Yard, path: Path, rng: random.Random, form: str = "") -> str:
    """Make up a tournament and store it, complete or not; return a line that describes it.

    form: its format; "" for any.
    """
    bots = [f"b{number}" for number in range(rng.choice((2, 2, 3, 4, 5, 6, 8, 9, 12)))]
    variants = rng.sample(VARIANTS, rng.choice((1, 1, 2)))
    form = form or rng.choice(FORMATS)
    sets = rng.choice((1, 1, 2, 3, 5))
    lines = [f'format = "{form}"', 'seed = "random"', 'unit = "deals"']
    if form == "gauntlet":
        lines.append(f'challengers = ["{bots[0]}"]')
    lines.append(f"total_sets = {sets * len(bots)}" if form == "adaptive" else f"sets = {sets}")
    if form in ("swiss", "knockout"):
        variants = rng.sample(VARIANTS[:2], len(variants))
    if len(variants) == 1 and rng.random() < 0.2:
        lines.append('rank_by = "points"')
    text = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in bots)
    played = "".join(f'[[variant]]\nname = "{variant}"\n' for variant in variants)
    plan = make_plan(load_tournament(yard.tournament(*lines, variants=played, bots=text)))
    law = Law(
        strengths={bot: rng.randrange(rng.choice((1, 2, 4, 12))) for bot in bots},
        level=rng.random() < 0.5,
        chance=rng.choice((0.0, 0.0, 0.1, 1.0)),
        withdrawn={bot: rng.randrange(40) for bot in bots if rng.random() < rng.choice((0, 0.2, 0.6))},
    )
    with Store.create(path) as store:
        games = store_made_run(plan, store, law, rng, most=rng.choice((1, 3, *[10**6] * 3)), islands=0.1)
        annulled = [bot for bot in bots if rng.random() < ANNULLED]
        for bot in annulled if games else ():
            with suppress(CorrectionError):  # of one that played nothing, nothing can be annulled twice
                withdraw_bot(store.run(), bot, why="it cheated", by="the jury", annul=True)
    told = f"{form} of {len(bots)} bots, {sets} sets of {', '.join(variants)}, {games} games, {law}"
    return f"{told}, annulled {annulled}"


def store_made_run(
    plan: Plan, store: Store, law: Law, rng: random.Random, *, most: int = 10**6, islands: float = 0.0
) -> int:
    """Make up the games of a run and store them; return their number.

    most: deal sets to play; the run is not complete if there are more.
    islands: how likely it is that a round leaves out two thirds of its line-ups, and is the last one.
    """
    rounds = RoundSequence(plan.rounds())
    seats = {bot.name: SeatRecord(bot.name, bot.version, bot.fingerprint) for bot in plan.header.bots}
    games, left = 0, most
    with store.begin(plan.header, plan.seed, plan.file.folder) as writer:
        while rounds.round is not None and left > 0:
            jobs, last = list(rounds.round.jobs), rng.random() < islands
            if last:
                jobs = rng.sample(jobs, max(1, len(jobs) // 3))
            stored: dict[SetKey, list[GameRecord]] = {}
            for job in jobs:
                for number in job.sets[: max(0, left)]:
                    left -= 1
                    records = [_record(spec, law, seats, games, rng) for spec in replace(job, sets=(number,)).tables()]
                    games += len(records)
                    stored[SetKey(job.entry, job.lineup.text, number)] = records
            left = 0 if last else left
            writer.save_sets([CompletedSet(key, tuple(records)) for key, records in stored.items()], digest_of([]))
            rounds.replay({key: [*map(result_of_record, records)] for key, records in stored.items()})
        writer.save_sets([], digest_of(store[plan.header.fingerprint].results()))
        if rounds.outcome is not None:
            writer.end(rounds.outcome)
    return games


def _record(spec: TableSpec, law: Law, entered: Mapping[str, SeatRecord], games: int, rng: random.Random) -> GameRecord:
    """Return the record of a game of a run after this many `games`; `entered` are the bots by name."""
    bots = [seat.bot for seat in spec.seats]
    seats = tuple(entered[bot] for bot in bots)
    absent = {seat for seat, bot in enumerate(bots) if law.withdrawn.get(bot, games + 1) <= games}
    if absent:
        return unplayed(spec, CONDITIONS, seats, {seat: Fault("CRASHED", "withdrawn: it fell") for seat in absent})
    sides = sides_of(spec.variant, spec.options)
    places = _places(bots, sides, law, rng)
    template = _template(spec.variant, tuple(sorted(spec.options.items())), len(bots), rng.randrange(4))
    ranks = tuple(places[side] for side in sides)
    result = replace(template.result, ranks=ranks, winners=tuple(seat for seat, rank in enumerate(ranks) if rank == 1))
    return replace(
        template,
        id=spec.game_id,
        commitment=spec.commitment,
        conditions=CONDITIONS,
        seats=seats,
        result=result,
    )


def _places(bots: Sequence[str], sides: Sequence[int], law: Law, rng: random.Random) -> dict[int, int]:
    """Return the rank of each side: by the strength of its bots, and then by its seat unless equal bots are level."""
    merit: dict[int, tuple[float, float]] = {}
    for side in sorted(set(sides)):
        strength = sum(law.strengths[bot] for bot, own in zip(bots, sides, strict=True) if own == side)
        by_law = float(strength), 0.0 if law.level else -float(side)
        merit[side] = (rng.random(), 0.0) if rng.random() < law.chance else by_law
    return {side: 1 + sum(other > merit[side] for other in merit.values()) for side in merit}


@cache
def _template(variant: str, options: tuple[tuple[str, OptionValue], ...], players: int, number: int) -> GameRecord:
    """Return a game with this many seats that was played at random."""
    names = tuple(f"b{seat % 2}" for seat in range(players))
    return play(spec_of(variant, names, options=dict(options), set_number=number), random.Random(number))
