"""The tables of scale.md and benchmarks.md, in Markdown, from the benchmarks' results in results/."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

MIB = 1 << 20
Rows = Sequence[Mapping[str, Any]]
BOTS = 1_000
DECISIONS = 1_000_000_000
RENEW_S, LOOK_S = 5.0, 2.0
"""How often a run contacts each worker, and how often it looks for new workers (`connection`, `executor`)."""


def fits(rows: Rows) -> list[str]:
    """Return the table of the rating of record: time and memory, by games and bots."""
    lines = ["| games | bots | rating of record | peak memory |", "|--:|--:|--:|--:|"]
    for row in rows:
        head = f"| {row['games']:,} | {row['bots']:,} |"
        if "over" in row:
            lines.append(f"{head} over {row['over']} s | |")
        else:
            lines.append(f"{head} {row['fit']:.1f} s | {row['memory'] / MIB:.0f} MiB |")
    return lines


def housing(rows: Rows) -> list[str]:
    """Return the table of bot processes: memory, threads and processes."""
    lines = [
        "| bot | isolation | processes, threads | CPU to start | resident, private | of the referee, its threads |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for row in rows:
        head = f"| {row['bot']} | {row['isolation']} |"
        if "left_out" in row:
            lines.append(f"{head} left out: {row['left_out']} | | | |")
            continue
        resident, private, referee = (f"{row[size] / MIB:.1f} MiB" for size in ("resident", "private", "referee"))
        counts = f"{row['processes']:.0f}, {row['threads']:.1f} | {row['cpu']:.2f} s"
        lines.append(f"{head} {counts} | {resident}, {private} | {referee}, {row['referee_threads']:.1f} |")
    return lines


def task(rows: Rows) -> list[str]:
    """Return the table of bytes sent to a worker and back."""
    (row,) = rows
    return [
        "| | bytes |",
        "|---|--:|",
        f"| a block of {row['sets']} deal sets, pickled | {row['block']:,} |",
        f"| what makes a referee for 8 bots, pickled | {row['setup']:,} |",
        f"| its result, {2 * row['sets']} whole games of euchre, pickled | {row['result']:,} |",
        f"| the same, compressed | {row['result_packed']:,} |",
        f"| a deal set of it, compressed | {row['result_packed'] / row['sets']:,.0f} |",
    ]


TABLES: dict[str, Callable[[Rows], list[str]]] = {"fits": fits, "housing": housing, "task": task}
"""The tables of `make bench ARGS=cost`, by the key of their rows in its JSON."""


def machines(known: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the table of dates and machines for each part that ran."""
    lines = ["| figures of | when | machine | commit | load |", "|---|---|---|---|---|"]
    for target, one in known.items():
        where = f"{one['cores']} cores ({one['processor']}), {one['python']}, {one['system']}"
        busy = "; **busy with other work**" if one["load"][0] > one["cores"] else ""
        load = " ".join(map(str, one["load"]))
        lines.append(f"| `{target}` | {one['when']} | {where} | {one['commit']} | {load}{busy} |")
    return lines


def decision(bench: Mapping[str, Any]) -> list[str]:
    """Return the table of the time for a decision, by bot."""
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
    """Return the table of the disk space after a million decisions."""
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
    """Return the table for 1,000 bots and a billion decisions, extrapolated from the measured figures."""
    found = {key: figure["median"] for key, figure in bench["figures"].items()}
    per_game = million["decisions"] / million["games"]
    games, sets = DECISIONS / per_game, DECISIONS / million["decisions"] * million["sets"]
    pairings = BOTS * (BOTS - 1) // 2
    start = next(row["cpu"] for row in cost["housing"] if row["bot"] == "python" and row["isolation"] == "sandbox")
    private = next(row["private"] for row in cost["housing"] if row["bot"] == "python" and row["isolation"] == "none")
    (job,) = cost["task"]
    result = job["result"] / job["sets"]
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
        ("results that come back from workers, pickled", f"{sets * result / 1e9:.0f} GB"),
    ]
    return ["| | |", "|---|--:|", *(f"| {what} | {value} |" for what, value in rows)]


def cluster(result: Mapping[str, Any]) -> list[str]:
    """Return the table of a cluster on this machine: its speed compared with `--jobs`, and the scheduler's work."""
    paired = result["paired"]
    lines = [
        "| | |",
        "|---|--:|",
        f"| `--jobs {paired['workers']}` | {paired['jobs']:,.0f} decisions/s |",
        f"| `--cluster local:{paired['workers']}` | {paired['cluster']:,.0f} decisions/s |",
        f"| their ratio, median of {len(paired['ratios'])} pairs | {paired['ratio']:.2f} |",
        f"| the pairs, least and most | {min(paired['ratios']):.2f}, {max(paired['ratios']):.2f} |",
    ]
    return [*lines, "", *through(result["through"])]


def through(steps: Rows) -> list[str]:
    """Return the table of the work of the scheduler and the run, with a column for each number of workers."""
    heads = [f"{one['workers']} workers" + (f", {one['idle']} idle ones" if one["idle"] else "") for one in steps]
    rows: dict[str, Callable[[Mapping[str, Any]], str]] = {
        "CPU of the scheduler, of a core": lambda one: f"{one['scheduler_core']:.1%}",
        "CPU of the scheduler, of all CPU": lambda one: f"{one['scheduler_share']:.1%}",
        "CPU of the process of the run, of a core": lambda one: f"{one['run_core']:.1%}",
        "calls of workers": lambda one: f"{one['calls_a_second']:.1f}/s",
        "of these, blocks": lambda one: f"{one['blocks_a_second']:.2f}/s",
        "bytes of a deal set to the workers": lambda one: f"{one['sent_a_set']:,.0f}",
        "bytes of a deal set from the workers": lambda one: f"{one['received_a_set']:,.0f}",
        "round trip of a call while nobody plays, median": lambda one: f"{one['call_median'] * 1000:.1f} ms",
        "the slowest of 100 such calls": lambda one: f"{one['call_p99'] * 1000:.1f} ms",
    }
    return _columns("", heads, [(name, [cell(one) for one in steps]) for name, cell in rows.items()])


def _columns(corner: str, heads: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Return a table with a column for each of `heads`."""
    lines = [f"| {corner} | {' | '.join(heads)} |", f"|---|{'--:|' * len(heads)}"]
    return [*lines, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows)]


def forecast_costs(result: Mapping[str, Any]) -> list[str]:
    """Return the table of the simulation's input."""
    costs, losses = result["costs"], result["losses"]

    def noted(name: str) -> str:
        return " (assumed)" if name in result["assumed"] else ""

    return [
        "| | |",
        "|---|--:|",
        f"| bots, rounds | {result['bots']:,}, {result['rounds']} |",
        f"| deal sets of a match, decisions of a deal set | {result['sets_a_match']:,}, {costs['decisions']:.0f} |",
        f"| a decision on a core, in any message | {costs['decision'] * 1e6:.0f} µs |",
        f"| a message | {costs['message'] * 1e6:.0f} µs |",
        f"| start of a process | {costs['start'] * 1000:.0f} ms |",
        f"| round trip of a call | {costs['call'] * 1000:.1f} ms{noted('call')} |",
        f"| to take a deal set in | {costs['deliver'] * 1e6:.0f} µs{noted('deliver')} |",
        f"| to store a deal set | {costs['save'] * 1e6:.0f} µs |",
        f"| losses of a worker in a day | {losses['a_worker_and_day']:g} |",
        f"| until a lost worker plays again | {losses['away']:.0f} s |",
    ]


def forecast_rows(result: Mapping[str, Any]) -> list[str]:
    """Return the tables of the simulated runs, scaled to the whole tournament, one for each thinking time."""
    times = result["rounds"] / result["simulated"]
    rows: dict[str, Callable[[Mapping[str, Any]], str]] = {
        "time": lambda row: f"{row['wall'] * times / 3600:.1f} h",
        "idle": lambda row: f"{row['idle']:.0%}",
        "run busy": lambda row: f"{row['busy']:.0%}",
        "blocks": lambda row: f"{row['calls'] * times:,.0f}",
        "calls/s": lambda row: f"{row['calls'] / row['wall'] + row['workers'] / RENEW_S + 1 / LOOK_S:.0f}",
        "lost": lambda row: f"{row['losses'] * times:.0f}",
        "their time": lambda row: f"{(row['wasted'] + row['away']) * times / 3600:.1f} h",
        "waiting": lambda row: f"{row['most_waiting']:,}",
        "database": lambda row: f"{row['sets'] * result['stored_a_set'] / row['wall'] / 1e6:.1f} MB/s",
    }
    lines: list[str] = []
    for thinking in dict.fromkeys(row["thinking_ms"] for row in result["rows"]):
        found = [row for row in result["rows"] if row["thinking_ms"] == thinking]
        corner = f"bots think {thinking:g} ms; workers" if thinking else "bots answer at once; workers"
        heads = [f"{row['workers']:,}" for row in found]
        table = _columns(corner, heads, [(name, [cell(row) for row in found]) for name, cell in rows.items()])
        lines += ["", *table] if lines else table
    return lines


def filled(page: str, tables: Mapping[str, Sequence[str]]) -> str:
    """Return the page with each of these tables between its markers, `<!-- name -->` and `<!-- /name -->`.

    Raises ValueError for a table without markers.
    """
    for name, lines in tables.items():
        first, last = f"<!-- {name} -->", f"<!-- /{name} -->"
        before, mark, rest = page.partition(first)
        _, end, after = rest.partition(last)
        if not mark or not end:
            raise ValueError(f"the page has no place for {name}: {first} and {last} around it")
        page = "\n".join((before + first, *lines, last + after))
    return page
