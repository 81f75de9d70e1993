"""A comparison of the analysis of the ladder's games with its table: do losses rank bots in the same way as points?

    .venv/bin/python -m benchmarks losses --sets 6

For each variant and each bot of the ladder, the first deal sets in the archives of its rungs are analysed as in
`bowerbird analyse`. The table shows how much less the bot lost per deal than greedy at the same tables, and how many
more points it won in all its games, as on the ladder's page. The figures are stored in the folder, so an interrupted
run can continue.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from benchmarks.strength.ladder import BASE, FOLDER, OTHERS
from benchmarks.strength.measured import add_result
from bowerbird.harness.extras.analysis.analysing import WORLDS, analysed_text
from bowerbird.harness.extras.analysis.analysis_file import AnalysisFile, digest_of
from bowerbird.harness.extras.analysis.game_analysis import GameAnalysis, judge_name
from bowerbird.harness.extras.analysis.profile import Figures, profile_of
from bowerbird.harness.records.archive.archive import open_archive
from bowerbird.harness.records.text.reader import read
from bowerbird.harness.records.values.run import GameId

VARIANTS = ("euchre", "british", "railroad", "two-handed", "three-handed", "cut-throat", "buck", "bid-102")
DRAWS = 2000
"""The number of resamples of the variants, used for the intervals of the correlations."""


@dataclass(frozen=True)
class Compared:
    """A bot in a variant, compared with greedy: how much less it lost per deal, and how much more it won."""

    variant: str
    bot: str
    deals: int
    saved: float
    points: float
    reach: float


@dataclass(frozen=True)
class Correlation:
    """Correlations of `saved` and `points`, with 95% intervals: of all values, and of their ranks in a variant."""

    bots: str
    pearson: float
    pearson_low: float
    pearson_high: float
    ranks: float
    ranks_low: float
    ranks_high: float


@dataclass(frozen=True)
class Chosen:
    """A game of the ladder: its id, the text of its record, and its judge."""

    game: str
    text: str
    judge: str


def chosen_games(asked: argparse.Namespace) -> Iterator[Chosen]:
    """Yield the games of the first deal sets of each variant and bot. They were verified when they were stored."""
    for archive in sorted(FOLDER.glob("*.tar.gz")):
        with open_archive(archive) as rung:
            for one in rung.games:
                if (
                    one.id.set_number < asked.sets
                    and _variant(str(one.id)) in asked.variants
                    and set(asked.bots) & set(one.id.lineup.split("+"))
                ):
                    record = read(one.record)
                    judge = judge_name(record.variant, dict(record.options), asked.worlds)
                    if judge is not None:
                        yield Chosen(record.id, one.record, judge)


def _variant(game: str) -> str:
    return GameId.parse(game).entry.rpartition("-")[0]


def figures_of(chosen: Sequence[Chosen], file: AnalysisFile, asked: argparse.Namespace) -> Figures:
    """Return the figures of the chosen games; analyse those that are not stored."""
    judges = {one.game: one.judge for one in chosen}
    runs = {GameId.parse(one.game).run for one in chosen}
    stored = {game for run in runs for game in file.stored(run, judges)}
    due = [one for one in chosen if one.game not in stored]
    due.sort(key=lambda one: GameId.parse(one.game).set_number)  # an interrupted run has whole sets
    with ProcessPoolExecutor(asked.jobs, get_context("spawn")) as pool:
        found = pool.map(analysed_text, [(one.text, one.judge, asked.worlds) for one in due])
        for number, (one, figures) in enumerate(zip(due, found, strict=True), 1):
            assert isinstance(figures, GameAnalysis), figures
            file.save(GameId.parse(one.game).run, one.game, digest_of(one.text), one.judge, figures)
            sys.stderr.write(f"{number} of {len(due)} games\n")
    return {game: figures for run in runs for game, figures in file.games(run, judges)}


def points_of() -> dict[tuple[str, str], tuple[float, float]]:
    """Return the ladder's table: how much more each bot wins than greedy in each variant, with half its interval."""
    found = {}
    for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for bot, cell in zip(OTHERS, cells[1::2], strict=False):
            if match := re.match(r"([+-][0-9.]+) ± ([0-9.]+)", cell):
                found[cells[0], bot] = (float(match[1]), float(match[2]))
    return found


def compared(figures: Figures, variants: Sequence[str], bots: Sequence[str]) -> Iterator[Compared]:
    """Yield each of these bots in each variant."""
    points = points_of()
    for variant in variants:
        of_variant = {game: found for game, found in figures.items() if _variant(game) == variant}
        for bot in bots:
            own = {game: found for game, found in of_variant.items() if bot in {one.bot for one in found.hands}}
            if own:
                loss, base = profile_of(own, bot), profile_of(own, BASE)
                yield Compared(variant, bot, loss.deals, base.loss.mean - loss.loss.mean, *points[variant, bot])


def correlation(rows: Sequence[Compared], bots: str) -> Correlation:
    """Return the correlations over all rows. Whole variants are resampled, because their bots share deals."""
    by_variant = {variant: [one for one in rows if one.variant == variant] for variant in {one.variant for one in rows}}
    variants, rng = sorted(by_variant), random.Random(0)
    drawn = [[by_variant[variant] for variant in rng.choices(variants, k=len(variants))] for _ in range(DRAWS)]
    whole = [by_variant[variant] for variant in variants]
    low, high = _middle([_pearson(one) for one in drawn])
    ranks_low, ranks_high = _middle([_ranks(one) for one in drawn])
    return Correlation(bots, _pearson(whole), low, high, _ranks(whole), ranks_low, ranks_high)


def _middle(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the central 95%."""
    ordered = sorted(values)
    return ordered[round(0.025 * (len(values) - 1))], ordered[round(0.975 * (len(values) - 1))]


def _pearson(variants: Sequence[Sequence[Compared]]) -> float:
    """Return the correlation of points saved with points won, each in units of its spread in the variant."""
    saved = [value for rows in variants for value in _scaled([one.saved for one in rows])]
    return statistics.correlation(
        saved, [value for rows in variants for value in _scaled([one.points for one in rows])]
    )


def _ranks(variants: Sequence[Sequence[Compared]]) -> float:
    """Return the mean over variants of Spearman's correlation: how well the two orders of the bots agree."""
    return statistics.mean(
        statistics.correlation(_places([one.saved for one in rows]), _places([one.points for one in rows]))
        for rows in variants
    )


def _places(values: Sequence[float]) -> list[int]:
    return [sorted(values).index(value) for value in values]


def _scaled(values: Sequence[float]) -> list[float]:
    mean, spread = statistics.mean(values), statistics.pstdev(values)
    return [(value - mean) / spread for value in values]


def main() -> None:
    """Analyse, and print the table and the correlations."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", metavar="VARIANT", nargs="*", default=VARIANTS)
    parser.add_argument("--sets", type=int, default=6, help="deal sets of each rung and variant (%(default)s)")
    parser.add_argument("--bots", nargs="+", choices=OTHERS, default=OTHERS, help="bots to compare with greedy (all)")
    parser.add_argument("--worlds", type=int, default=WORLDS, help="worlds for each decision (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("results"), help="where to store the figures (%(default)s)")
    parser.add_argument("--out", type=Path, help="append each result as a line of JSON to this file")
    asked = parser.parse_intermixed_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with AnalysisFile(asked.folder / "losses.db") as file:
        rows = list(compared(figures_of(list(chosen_games(asked)), file, asked), asked.variants, asked.bots))
    print("| variant | bot | deals | lost less than greedy | won more than greedy |\n|---|---|--:|--:|--:|")
    for one in rows:
        print(f"| {one.variant} | {one.bot} | {one.deals} | {one.saved:+.2f} | {one.points:+.2f} ± {one.reach:.2f} |")
        add_result(asked.out, one)
    searching = [one for one in rows if one.bot != "random"]
    for title, chosen in (("all", rows), ("without random", searching)):
        found = correlation(chosen, title)
        print(
            f"{title}: correlation {found.pearson:.2f} ({found.pearson_low:.2f} to {found.pearson_high:.2f}), "
            f"of ranks {found.ranks:.2f} ({found.ranks_low:.2f} to {found.ranks_high:.2f})"
        )
        add_result(asked.out, found)


if __name__ == "__main__":
    main()
