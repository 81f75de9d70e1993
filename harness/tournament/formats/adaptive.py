"""Adaptive: each round plays the most informative deal sets, given the results of all earlier rounds.

`harness.tournament.pairing` chooses them; this module turns its rounds into jobs. A run ends after `total_sets` deal
sets over all line-ups, or at the end of the round in which its playing time runs out.
"""

from __future__ import annotations

from collections.abc import Sequence

from bowerbird.engine import counted
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.placements import Outcome
from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.tournament.config.schema import BY_LOT
from bowerbird.harness.tournament.config.tournament_file import TournamentFile
from bowerbird.harness.tournament.formats.rounds import PlayedUntil, Round, Rounds
from bowerbird.harness.tournament.jobs.job import Job
from bowerbird.harness.tournament.jobs.schedule import RunIdentity, job_of
from bowerbird.harness.tournament.lineups import Lineup
from bowerbird.harness.tournament.pairing.planner import (
    PairingTerms,
    PlannedRound,
    RoundPlanner,
    pairing_bots,
    pairing_table,
)


def pairing_terms(file: TournamentFile) -> PairingTerms:
    """Return the terms that decide the rounds of an adaptive tournament."""
    priors = {bot.name: (bot.rating, bot.deviation) for bot in file.bot_entries}
    return PairingTerms(
        bots=pairing_bots([(bot.name, bot.author) for bot in file.bots], priors),
        tables=tuple(
            pairing_table(entry.id, entry.sides, lineup) for entry in file.variants for lineup in entry.lineups
        ),
        total_sets=file.terms.total_sets,
        round_sets=file.terms.round_sets,
        by_lot=file.terms.schedule >= BY_LOT,
    )


def adaptive(file: TournamentFile, run: RunIdentity, played_until: PlayedUntil) -> Rounds:
    """Yield the rounds of an adaptive tournament."""
    planner = RoundPlanner(pairing_terms(file), run.seed)
    lineups = {(entry.id, lineup.text): lineup for entry in file.variants for lineup in entry.lineups}
    limit_ms = file.stop.time_ms if file.stop is not None else 0
    elapsed_s = 0.0
    while (planned := planner.next_round()) is not None:
        played: dict[SetKey, Sequence[GameResult]] = {}
        left_out: set[SetKey] = set()
        title = f"round {planned.number + 1}, {counted(len(planned.sets), 'deal set')}"
        jobs = _jobs(file, run, lineups, planned)
        yield Round(title, jobs, on_set_stored=played.__setitem__, on_set_left_out=left_out.add)
        planner.add(played, left_out)
        if limit_ms:
            elapsed_s = max(elapsed_s, played_until(played))
            if elapsed_s * 1000 >= limit_ms:
                return Outcome(f"{elapsed_s:.0f} s were played, {limit_ms / 1000:g} s were wanted")
    return Outcome()


def _jobs(
    file: TournamentFile, run: RunIdentity, lineups: dict[tuple[str, str], Lineup], planned: PlannedRound
) -> tuple[Job, ...]:
    """Return a job for each line-up of a round, the line-ups with the longest sets first."""
    entries = {entry.id: entry for entry in file.variants}
    numbers: dict[tuple[str, str], list[int]] = {}
    for key, _ in planned.sets:
        numbers.setdefault((key.entry, key.lineup), []).append(key.number)
    return tuple(
        job_of(file, entries[entry], run, lineups[entry, lineup], tuple(sets))
        for (entry, lineup), sets in numbers.items()
    )
