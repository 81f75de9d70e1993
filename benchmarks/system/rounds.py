"""`make bench`: all parts, in rounds whose order rotates, with medians and their aims."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.machine import ROOT, described, facts
from benchmarks.system.against import against
from benchmarks.system.all_parts import AIMS, all_parts, figures_of, watched_parts
from benchmarks.system.figures import Round, aim_table, detail_table, figure_table, report
from benchmarks.system.part import LeftOutError, Part, Place, variant_option

REPEATS = 5
SECONDS = 2.5
RESULT = ROOT / "results" / "bench.json"
FOLDER = ROOT / "build"
"""The folder for measurements. It is not in /tmp, which may be in memory, because storing must wait for a disk."""


def rotated(parts: Sequence[Part], turn: int) -> list[Part]:
    """Return the parts in the order of a round."""
    place = turn * max(1, len(parts) // REPEATS) % len(parts)
    return [*parts[place:], *parts[:place]]


def prepared(parts: Sequence[Part], place: Place) -> tuple[list[Part], list[str]]:
    """Return the parts that this machine can measure, and a line for each one that it cannot."""
    able, left_out = [], []
    for part in parts:
        try:
            part.prepare(place)
        except LeftOutError as error:
            left_out.append(f"({part.letter}) {part.figures[0].label}: left out, {error}")
        else:
            able.append(part)
    return able, left_out


def measure(parts: Sequence[Part], place: Place, repeats: int) -> tuple[list[Round], list[str]]:
    """Measure each part once in each round. Return the rounds, and a line for each part that failed."""
    rounds: list[Round] = []
    failed: dict[str, str] = {}
    for turn in range(repeats):
        found: dict[str, float] = {}
        for part in rotated(parts, turn):
            name = f"({part.letter}) {part.figures[0].label}"
            if name in failed:
                continue
            say(f"round {turn + 1} of {repeats}: {name}")
            try:
                found.update(part.measure(place))
            except (RuntimeError, subprocess.SubprocessError) as error:
                failed[name] = f"{name}: FAILED in round {turn + 1}, {error}"
        rounds.append(found)
    say("")
    return rounds, list(failed.values())


def say(line: str) -> None:
    """Show progress on a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{line}")
        sys.stderr.flush()


def positive(text: str) -> int:
    """Parse a number of rounds. Raises ValueError."""
    if (number := int(text)) < 1:
        raise ValueError(text)
    return number


def asked() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="letters of the parts, for example b,c (default: all)")
    parser.add_argument("--repeats", type=positive, default=REPEATS, help=f"rounds (default {REPEATS})")
    parser.add_argument(
        "--seconds",
        type=float,
        default=SECONDS,
        help=f"how long each rate is measured in a round (default {SECONDS:g})",
    )
    parser.add_argument(
        "--watchers", type=positive, metavar="N", help="measure only b and c, with N spectators and with none"
    )
    parser.add_argument("--against", type=Path, metavar="PATH", help="only compare with another checkout, in turn")
    variant_option(parser)
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help=f"also write this file; by default {RESULT.name} for a whole run"
    )
    return parser.parse_args()


def main() -> None:
    """Measure, print, write."""
    wanted = asked()
    known = facts()
    print(described(known), flush=True)
    began = time.perf_counter()
    if wanted.against is not None:
        print("\n".join(against(wanted.against, wanted.seconds, wanted.repeats, say)))
        return
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=FOLDER) as name:
        place = Place(Path(name), wanted.seconds, wanted.variant)
        letters = set(wanted.only.replace(",", ""))
        every = watched_parts(wanted.watchers) if wanted.watchers else all_parts()
        parts = [part for part in every if not letters or part.letter in letters]
        if missing := letters - {part.letter for part in parts}:
            sys.exit(f"there is no part {', '.join(sorted(missing))}; there are a to i")
        able, left_out = prepared(parts, place)
        if not able:
            sys.exit("\n".join(left_out))
        rounds, failed = measure(able, place, wanted.repeats)
    spent = time.perf_counter() - began
    left_out += failed
    print("\n".join(lines(able, rounds, left_out)))
    print(f"\n{wanted.repeats} rounds of {wanted.variant} in {spent:.0f} s; medians, ratios within a round")
    file = wanted.json or (RESULT if not letters and not wanted.watchers and wanted.repeats >= REPEATS else None)
    if file is not None:
        facts_ = {"machine": known, "variant": wanted.variant, "seconds": round(spent), "left_out": left_out}
        text = json.dumps(report(figures_of(able), AIMS, rounds, **facts_), indent=1, ensure_ascii=False)
        file.write_text(text + "\n", encoding="utf-8")
        print(f"written: {file}")
    if failed:
        sys.exit(1)


def lines(parts: list[Part], rounds: list[Round], left_out: list[str]) -> list[str]:
    """Return the lines for people."""
    figures = figures_of(parts)
    shown = {figure.key for figure in figures}
    text = [*figure_table(figures, rounds), *left_out]
    if details := detail_table(figures, rounds):
        text += ["", *details]
    if aims := [aim for aim in AIMS if aim.figure in shown]:
        text += ["", *aim_table(aims, rounds)]
    return text
