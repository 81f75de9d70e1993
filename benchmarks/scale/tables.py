"""The tables of results/scale.md, in Markdown, from what `make bench`, `bench-million` and `bench-cost` wrote. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

MIB = 1 << 20
Rows = Sequence[Mapping[str, Any]]
BOTS = 1_000
DECISIONS = 1_000_000_000
TASK_S = 0.00165
"""The measured time of Dask distributed for a task."""


def fits(rows: Rows) -> list[str]:
    """Return the table of the rating of record: time and memory by games and bots."""
    lines = ["| games | bots | rating of record | incremental, a game | peak memory |", "|--:|--:|--:|--:|--:|"]
    for row in rows:
        head = f"| {row['games']:,} | {row['bots']:,} |"
        if "over" in row:
            lines.append(f"{head} over {row['over']} s | | |")
        else:
            each = row["rate"] / row["games"] * 1e6
            lines.append(f"{head} {row['fit']:.1f} s | {each:.0f} µs | {row['memory'] / MIB:.0f} MiB |")
    return lines


def housing(rows: Rows) -> list[str]:
    """Return the table of bot processes: memory, threads and processes."""
    lines = [
        "| bot | isolation | processes | threads | CPU to start | resident | private | of the referee | its threads |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        head = f"| {row['bot']} | {row['isolation']} |"
        if "left_out" in row:
            lines.append(f"{head} left out: {row['left_out']} | | | | | | |")
            continue
        sizes = " | ".join(f"{row[size] / MIB:.1f} MiB" for size in ("resident", "private", "referee"))
        counts = f"{row['processes']:.1f} | {row['threads']:.1f} | {row['cpu']:.2f} s"
        lines.append(f"{head} {counts} | {sizes} | {row['referee_threads']:.1f} |")
    return lines


def task(rows: Rows) -> list[str]:
    """Return the table of bytes sent to a worker and back."""
    (row,) = rows
    return [
        "| | bytes |",
        "|---|--:|",
        f"| a job of {row['sets']} deal sets, pickled | {row['job']:,} |",
        f"| what makes a referee for 8 bots, pickled | {row['setup']:,} |",
        f"| the job's result, {2 * row['sets']} whole games of euchre, pickled | {row['result']:,} |",
        f"| the same, compressed | {row['result_packed']:,} |",
        f"| a deal set of it, compressed | {row['result_packed'] / row['sets']:,.0f} |",
    ]


TABLES: dict[str, Callable[[Rows], list[str]]] = {"fits": fits, "housing": housing, "task": task}
"""The tables of `bench-cost`, by the key of their rows in its JSON."""


def decision(bench: Mapping[str, Any]) -> list[str]:
    """Return the table of time for a decision, by bot."""
    found = bench["figures"]
    lines = [
        "| | decisions/s | decisions a message | CPU of the referee | CPU of the bots | decisions/s a core |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for key, figure in found.items():
        own, bots, batch = (found.get(f"{key}.{what}", {}).get("median") for what in ("own", "bots", "batch"))
        if own and bots:
            cells = f"{figure['median']:,.0f} | {batch:.1f} | {own:.0f} µs | {bots:.0f} µs | {1e6 / (own + bots):,.0f}"
            lines.append(f"| {figure['label']} | {cells} |")
        elif key.endswith(".jobs"):
            lines.append(f"| {figure['label']} | {figure['median']:,.0f} | | | | |")
    return lines


def disk(million: Mapping[str, Any]) -> list[str]:
    """Return the table of disk space after a million decisions."""
    decisions, games, wall = million["decisions"], million["games"], million["wall"]
    standings, verify = (million[command] / games * 1000 for command in ("standings", "verify"))
    rows = sum(million["rows"].values())
    grown = million["growth"]
    memory = "" if grown is None else f", {grown['first'] / MIB:.0f} at first and {grown['last'] / MIB:.0f} at last"
    return [
        "| | all | each |",
        "|---|--:|--:|",
        f"| decisions of bots | {decisions:,} | {decisions / games:.0f} a game |",
        f"| wall time, start and end included | {wall:.0f} s | {decisions / wall:,.0f} decisions/s |",
        f"| memory of the referee | at most {million['peak_referee'] / MIB:.0f} MiB{memory} | |",
        f"| database | {million['database'] / MIB:.0f} MiB | {million['database'] / decisions:.0f} bytes a decision |",
        f"| archive | {million['archive'] / MIB:.1f} MiB | {million['archive'] / decisions:.1f} bytes a decision |",
        f"| rows | {rows:,} | {rows / million['sets']:.1f} a deal set |",
        f"| `standings`, with the start of the command | {million['standings']:.1f} s | {standings:.2f} ms a game |",
        f"| `verify`, likewise | {million['verify']:.0f} s | {verify:.1f} ms a game |",
    ]


def forecast(bench: Mapping[str, Any], million: Mapping[str, Any], cost: Mapping[str, Any]) -> list[str]:
    """Return the table for 1,000 bots and a billion decisions, in proportion to the measured figures."""
    found = {key: figure["median"] for key, figure in bench["figures"].items()}
    per_game = million["decisions"] / million["games"]
    games, sets = DECISIONS / per_game, DECISIONS / million["decisions"] * million["sets"]
    pairings = BOTS * (BOTS - 1) // 2
    start = next(row["cpu"] for row in cost["housing"] if row["bot"] == "python" and row["isolation"] == "sandbox")
    private = next(row["private"] for row in cost["housing"] if row["bot"] == "python" and row["isolation"] == "none")
    (job,) = cost["task"]
    result = job["result_packed"] / job["sets"]
    written = found["store.many"]
    hours = 3600.0
    rows = [
        ("games, deal sets", f"{games / 1e6:.1f} million, {sets / 1e6:.1f} million"),
        ("pairings of a round-robin, deal sets for each", f"{pairings:,}, {sets / pairings:.1f}"),
        ("CPU of referees, compiled bots", f"{DECISIONS * found['compiled.own'] / 1e6 / hours:,.0f} core-hours"),
        ("CPU of bots that only draw, in Python", f"{DECISIONS * found['python.bots'] / 1e6 / hours:,.0f} core-hours"),
        ("one referee on two cores, compiled bots", f"{DECISIONS / found['compiled'] / hours:,.0f} hours"),
        ("two referees there, compiled bots", f"{DECISIONS / found['compiled.jobs'] / hours:,.0f} hours"),
        (
            "starts, a process for each seat and rotation (8 a pairing), Python, sandbox",
            f"{8 * pairings / 1e6:.1f} million, {8 * pairings * start / hours:,.0f} core-hours",
        ),
        ("starts, instances = shared (2 a pairing)", f"{2 * pairings * start / hours:,.0f} core-hours"),
        ("1,000 Python bots in memory at once, private", f"{BOTS * private / MIB / 1024:.0f} GiB"),
        ("database", f"{DECISIONS * million['database'] / million['decisions'] / 1e9:.0f} GB"),
        ("rows", f"{sum(million['rows'].values()) / million['sets'] * sets / 1e6:.0f} million"),
        ("archive", f"{DECISIONS * million['archive'] / million['decisions'] / 1e9:.1f} GB"),
        (
            "one writer of the store, 32 sets a transaction",
            f"{written * DECISIONS / sets:,.0f} decisions/s, {sets / written / hours:.1f} hours",
        ),
        ("`verify`, one core", f"{million['verify'] / million['games'] * games / hours:,.0f} hours"),
        ("tasks, one for each pairing, at 1.65 ms", f"{pairings * TASK_S / 60:.0f} minutes of the scheduler"),
        ("results through the scheduler, compressed", f"{sets * result / 1e9:.1f} GB"),
    ]
    return ["| | |", "|---|--:|", *(f"| {what} | {value} |" for what, value in rows)]


def filled(page: str, tables: Mapping[str, Sequence[str]]) -> str:
    """Return the page with each of these tables between its marks, `<!-- name -->` and `<!-- /name -->`.

    Raises ValueError for a table without marks.
    """
    for name, lines in tables.items():
        first, last = f"<!-- {name} -->", f"<!-- /{name} -->"
        before, mark, rest = page.partition(first)
        _, end, after = rest.partition(last)
        if not mark or not end:
            raise ValueError(f"the page has no place for {name}: {first} and {last} around it")
        page = "\n".join((before + first, *lines, last + after))
    return page
