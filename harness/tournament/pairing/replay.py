"""Repeats the scheduling of a stored adaptive run: its choices and their reasons (commands.md, `bowerbird verify`).

Everything comes from the run itself: its resolved file, its seed and its results. So an imported run can be checked
without its bots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from bowerbird.engine import rules_of
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.text.bounded_toml import load_toml
from bowerbird.harness.records.text.run_text import schedule_of
from bowerbird.harness.records.values.game_result import GameResult, by_set
from bowerbird.harness.records.values.run import Entrant, SetKey, deal_seed
from bowerbird.harness.records.values.voids import left_out_of
from bowerbird.harness.tournament.annulled import annulled_results
from bowerbird.harness.tournament.config.schema import ADAPTIVE, BY_LOT
from bowerbird.harness.tournament.lineups import MeetingRules, lineups
from bowerbird.harness.tournament.pairing.planner import (
    PairingTerms,
    PlannedRound,
    RoundPlanner,
    pairing_bots,
    pairing_table,
    round_of,
)

WrongSet = tuple[SetKey | None, str]
"""A deal set (None for the run itself) and the sentence with what is wrong."""


def stored_terms(config: str, bots: Sequence[Entrant]) -> PairingTerms:
    """Return the terms that decide the rounds of a stored adaptive run.

    config: its resolved tournament file. bots: the run's bots. Raises ValueError for a string that cannot come from a
        run.
    """
    file = load_toml(config)
    main: Mapping[str, Any] = file["tournament"]
    authors = {bot.name: bot.author for bot in bots}
    entered: list[Mapping[str, Any]] = file["bot"]
    names = tuple(str(bot["name"]) for bot in entered)
    meetings = MeetingRules(names, (), bool(main["copies"]))
    numbers: Counter[str] = Counter()
    tables = []
    for variant in file["variant"]:
        name, options = str(variant["name"]), dict(variant["options"])
        rules = rules_of(name)
        sides = rules.teams(options)
        entry = f"{name}-{numbers[name]}"
        numbers[name] += 1
        for lineup in lineups(str(variant["lineup"]), meetings, rules.seats(options), sides):
            tables.append(pairing_table(entry, sides, lineup))
    return PairingTerms(
        bots=pairing_bots(
            [(name, authors[name]) for name in names],
            {str(bot["name"]): (bot.get("rating"), bot.get("deviation")) for bot in entered},
        ),
        tables=tuple(tables),
        total_sets=int(main["total_sets"]),
        round_sets=int(main["round_sets"]),
        by_lot=schedule_of(main) >= BY_LOT,
    )


def replayed(
    terms: PairingTerms,
    seed: bytes,
    stored: Mapping[SetKey, Sequence[GameResult]],
    left_out: Collection[SetKey] = (),
) -> Iterator[PlannedRound]:
    """Yield the rounds that the scheduler chose, up to the first with a missing deal set.

    seed: the seed of the deals.
    stored: the results of each stored deal set, with times.
    left_out: the deal sets that will never have results.
    """
    planner = RoundPlanner(terms, seed)
    due = len(stored) + len(left_out)
    while due > 0 and (planned := planner.next_round()) is not None:
        yield planned
        keys = [key for key, _ in planned.sets]
        if any(key not in stored and key not in left_out for key in keys):
            return
        due -= len(keys)
        planner.add({key: stored[key] for key in keys if key in stored}, [key for key in keys if key in left_out])


def wrong_pairings(run: StoredRun) -> Iterator[WrongSet]:
    """Yield the differences between the deal sets of a complete adaptive run and those that the scheduler chooses.

    Yields nothing for other runs. Rounds after the first difference are not compared, since they depend on it. Raises
    StoreError if the database cannot be read.
    """
    try:
        form = load_toml(run.row.config)["tournament"].get("format")
    except (ValueError, KeyError, AttributeError):
        return  # `verify_run` reports it
    if form != ADAPTIVE or run.row.ended is None or run.row.seed is None:
        return
    try:
        terms = stored_terms(run.row.config, run.bots())
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        yield None, f"its pairings cannot be repeated from its tournament file: {error}"
        return
    stored = {**annulled_results(run), **by_set(run.results(with_times=True))}
    left_out = frozenset(left_out_of(run.voids()))
    played = {*stored, *left_out}
    by_round: dict[int, set[SetKey]] = {}
    for key in played:
        by_round.setdefault(round_of(key), set()).add(key)
    planned_sets = 0
    last = -1
    for planned in replayed(terms, deal_seed(run.row.seed, run.row.beacon), stored, left_out):
        asked = [key for key, _ in planned.sets]
        found = list(_round_differences(planned.number, asked, by_round.get(planned.number, set())))
        if found:
            yield from found
            return
        planned_sets += len(asked)
        last = planned.number
    later = sorted(key for key in played if round_of(key) > last)
    if later:
        yield later[0], f"the run ended with round {last + 1}, but this set is from a later one"
    elif planned_sets < terms.total_sets and "stop" not in load_toml(run.row.config)["tournament"]:
        yield None, f"it ended after {planned_sets} deal sets, but its file requires {terms.total_sets}"


def _round_differences(number: int, asked: Sequence[SetKey], found: Collection[SetKey]) -> Iterator[WrongSet]:
    missing = [key for key in asked if key not in found]
    others = sorted(set(found) - set(asked))
    for key in others:
        instead = f", but {missing[0]}" if missing else ""
        yield key, f"in round {number + 1} the scheduler does not choose it{instead}"
    if missing and not others:
        yield missing[0], f"the scheduler chooses it in round {number + 1}, but it is not stored"
