"""The table of the workers of a cluster (`bowerbird cluster check`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bowerbird.harness.cli.shared.output import Column, echo, output_width, print_lines, table

if TYPE_CHECKING:
    from bowerbird.harness.extras.cluster.inspection import InspectedWorker

COLUMNS = (
    Column("worker", cut=True),
    Column("host", cut=True),
    Column("cores", right=True),
    Column("Python", below="Python "),
    Column("Bowerbird", below="Bowerbird "),
    Column("isolation"),
    Column("speed", right=True),
    Column("ms", right=True),
    Column("build tools", below="build tools: "),
)
UNKNOWN = "-"


def print_workers(workers: Sequence[InspectedWorker]) -> None:
    """Print a row for each worker, how many can play, and why the others cannot."""
    fastest = max((one.facts.speed for one in workers if one.facts is not None), default=0.0)
    for line in table(COLUMNS, [_row(one, fastest) for one in workers], output_width()):
        echo(line)
    playing = sum(not one.why for one in workers)
    lines = ["", f"{playing} of {len(workers)} workers can play"]
    lines += [f"left out: worker {one.name}: {one.why}" for one in workers if one.why]
    print_lines(lines)


def _row(worker: InspectedWorker, fastest: float) -> tuple[str, ...]:
    """Return the cells of a worker. `fastest`: the speed that counts as 1."""
    facts = worker.facts
    tier = worker.tier or UNKNOWN
    if facts is None:
        return worker.name, *[UNKNOWN] * 4, tier, *[UNKNOWN] * 3
    return (
        worker.name,
        facts.host,
        str(facts.cores),
        facts.python,
        facts.bowerbird,
        tier,
        f"{facts.speed / fastest:.2f}" if fastest else UNKNOWN,
        UNKNOWN if worker.round_trip_ms is None else f"{worker.round_trip_ms:.1f}",
        " ".join(facts.tools) or "none",
    )
