"""The result of a benchmark. Input: a stored run. Output: a document for JSON and a few lines for people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from bowerbird.harness.extras.benchmark.terms import VERSION, Version, benchmark_deals, run_name
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.values.run import commitment_of
from bowerbird.harness.tournament.plan import seed_of

PUBLIC, SECRET = "public", "secret"

PARTNER = "partner"
"""The figure of a decision that greedy made for the agent, which has one seat of its side (seat-an-agent.md)."""

TOKENS = "tokens"
"""The figure for an agent's tokens. The names of a bot's figures for kinds of tokens end with it."""


class NoBenchmarkError(ValueError):
    """A run is not a benchmark of this version; `args[0]` is a sentence."""


def result_document(run: StoredRun, version: Version = VERSION) -> dict[str, Any]:
    """Return the result of a benchmark's run.

    Ratings are in Elo with their 95% interval, with None for an open end. The time is the sum over all seats of the
    agent. Its partner's decisions are counted separately. Tokens are as the agent reports them, or None. Raises
    NoBenchmarkError.
    """
    row = run.row
    agent = row.original_name.removeprefix(run_name("", version))
    entrants = {bot.name: bot for bot in run.bots()}
    if agent == row.original_name or agent not in entrants:
        raise NoBenchmarkError(f"run {row.fingerprint} ({row.name}) is not a benchmark of version {version.number}")
    is_public = row.commitment == commitment_of(seed_of(version.public_seed))
    if row.practice and not is_public:
        raise NoBenchmarkError(f"run {row.fingerprint} was dealt from a seed that is neither public nor drawn")
    found = overview([run])
    [spent] = run.store.query(
        "SELECT SUM(decisions) AS decisions, SUM(time_ms) AS ms FROM seat WHERE run = ? AND bot = ?",
        [row.fingerprint, agent],
    )
    figures = {one.name: one.exact for one in run.figure_sums() if one.bot == agent}
    partner = int(figures.pop(PARTNER, 0))
    tokens = [value for name, value in figures.items() if name == TOKENS or name.endswith(f"_{TOKENS}")]
    return {
        "benchmark": version.number,
        "agent": agent,
        "agent_version": entrants[agent].version,
        "agent_fingerprint": entrants[agent].fingerprint,
        "seed": PUBLIC if is_public else SECRET,
        "commitment": row.commitment,
        "secret_seed": row.seed.hex() if row.seed is not None and not is_public else None,
        "deals": benchmark_deals(version) if is_public else None,
        "run": row.fingerprint,
        "digest": run.results_digest() if row.ended else None,
        "complete": row.ended is not None and _is_whole(run, version),
        "sets": row.sets,
        "games": row.games,
        "faults": sum(fault.bot == agent for fault in run.faults()),
        "decisions": (spent["decisions"] or 0) - partner,
        "partner_decisions": partner,
        "minutes": round((spent["ms"] or 0) / 60_000, 2),
        "tokens": int(sum(tokens)) if tokens else None,
        "figures": {name: float(value) for name, value in figures.items()},
        "ratings": {bot: _estimate(pooled.equal) for bot, pooled in found.pooled.items()},
        "variants": {
            board.variant: {line.bot: _estimate(line.rating) for line in board.rating_list.lines}
            for board in found.variants
        },
    }


def result_lines(document: Mapping[str, Any]) -> list[str]:
    """Return a result in lines for people."""
    rating = document["ratings"].get(document["agent"])
    seed = "the public seed" if document["seed"] == PUBLIC else "a secret seed"
    lines = [f"benchmark {document['benchmark']}, {seed}: {document['agent']}", *_ladder(document["ratings"])]
    if rating is None:
        lines.append("no rating: too little was played")
    if not document["complete"]:
        lines.append("not complete: not a result of this version of the benchmark")
    if document["partner_decisions"]:
        lines.append(f"its partner, greedy, also made {document['partner_decisions']} decisions")
    tokens = "" if document["tokens"] is None else f"{document['tokens']:,} tokens by its own count, "
    return [
        *lines,
        f"{document['games']} hands, {document['decisions']} decisions, {document['minutes']:.1f} minutes of thought, "
        f"{tokens}{document['faults']} faults",
        f"run {document['run']}, {document['commitment']}",
    ]


def _ladder(ratings: Mapping[str, Mapping[str, float | None]]) -> Sequence[str]:
    width = max(map(len, ratings), default=0)
    ordered = sorted(ratings.items(), key=lambda item: -(item[1]["value"] or 0.0))
    return [f"  {bot:<{width}}  {one['value']:6.0f}  {_interval(one)}" for bot, one in ordered]


def _interval(one: Mapping[str, float | None]) -> str:
    ends = ["…" if one[end] is None else f"{one[end]:.0f}" for end in ("low", "high")]
    return f"{ends[0]} to {ends[1]}"


def _estimate(estimate: Estimate) -> dict[str, float | None]:
    low, high = estimate.interval()
    return {
        name: value if math.isfinite(value) else None
        for name, value in (("value", estimate.value), ("low", low), ("high", high))
    }


def _is_whole(run: StoredRun, version: Version) -> bool:
    """Return whether the run has the version's sets, unit and variants."""
    lines = run.row.config.splitlines()
    return (
        f"sets = {version.sets}" in lines and 'unit = "deals"' in lines and set(run.variants()) == {*version.variants}
    )
