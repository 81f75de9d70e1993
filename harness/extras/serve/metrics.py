"""Figures for monitors, in the text format of Prometheus."""

from __future__ import annotations

import resource
from collections.abc import Iterator, Mapping, Sequence

from bowerbird.harness.extras.serve.connections import Counts
from bowerbird.harness.extras.serve.guard import Served
from bowerbird.harness.extras.serve.pages.run_pages import Live
from bowerbird.harness.extras.serve.pages_cache import PagesCache


def metrics_text(  # noqa: PLR0917 (one value for each part of the server)
    live: Mapping[str, Live], counts: Counts, served: Served, cache: PagesCache, streams: int, tables: int
) -> str:
    """Return all figures."""
    return "".join(_lines(live, counts, served, cache, streams, tables))


def _lines(  # noqa: PLR0917 (as above)
    live: Mapping[str, Live], counts: Counts, served: Served, cache: PagesCache, streams: int, tables: int
) -> Iterator[str]:
    requests = [({"status": str(status)}, number) for status, number in sorted(served.by_status.items())]
    yield _family("requests_total", "counter", "Requests answered, by status.", requests)
    connections = [({"what": name}, getattr(counts, name)) for name in ("accepted", "refused", "displaced", "cut")]
    yield _family("connections_total", "counter", "Connections accepted, refused, displaced, cut off.", connections)
    yield _family("connections_open", "gauge", "Connections open now.", [({}, counts.open)])
    yield _family("streams_open", "gauge", "Browsers that follow changes.", [({}, streams)])
    yield _family("tables_watched", "gauge", "Tables that browsers are watching.", [({}, tables)])
    yield _family("pages_made_total", "counter", "Pages made, without those taken from memory.", [({}, cache.made)])
    yield _family("page_seconds_total", "counter", "Seconds spent making pages.", [({}, round(cache.seconds, 3))])
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    yield _family("memory_bytes_most", "gauge", "Peak memory of this process.", [({}, most)])
    runs = [({"run": run, "name": one.info.name}, one) for run, one in sorted(live.items())]
    for name, what, value in (
        ("sets_stored", "Deal sets stored, of runs in play.", lambda one: one.info.sets_stored),
        ("sets_total", "Deal sets planned, of runs in play.", lambda one: one.info.sets_total),
        ("games_played", "Games that have ended, of runs in play.", lambda one: one.info.games_played),
        ("tables_open", "Tables in play.", lambda one: len(one.tables)),
    ):
        yield _family(f"run_{name}", "gauge", what, [(labels, value(one)) for labels, one in runs])


def _family(name: str, kind: str, what: str, values: Sequence[tuple[dict[str, str], float]]) -> str:
    if not values:
        return ""
    head = f"# HELP bowerbird_{name} {what}\n# TYPE bowerbird_{name} {kind}\n"
    return head + "".join(f"bowerbird_{name}{_labels(labels)} {value}\n" for labels, value in values)


def _labels(labels: dict[str, str]) -> str:
    return f"{{{','.join(f'{name}={_quoted(text)}' for name, text in labels.items())}}}" if labels else ""


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
