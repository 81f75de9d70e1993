"""What a sequential test says while it runs, and when it has ended."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.cli.output import print_json, print_lines
from harness.cli.rated import estimate_document
from harness.cli.standings import headline
from harness.ratings.estimate import Estimate
from harness.ratings.sequential import Decision, Hypotheses, SequentialTest, decide, set_values, strength_of
from harness.records.run import BLOCK_SETS
from harness.records.set_keys import Block

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.ratings.sequential import SetValue
    from harness.records.rows import GameResult, RunRow
    from harness.records.store import Store
    from harness.tournament.config import TournamentFile
    from harness.tournament.events import SetSaved

EVERY_GAMES, EVERY_DEALS = 16, 64
"""After how many deal sets of each line-up the test is asked whether to go on: as many as can be played at once."""

GROWTH = 1.02
"""By what factor the sets must have grown for the live ratio to be computed anew; each time it looks into the store."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A test: of which bots, of what, by which measure."""

    bots: tuple[str, str]
    hypotheses: Hypotheses
    measure: str

    def stop(self, deals: bool) -> dict[str, object]:
        """The stop rule of its tournament (CLI.md, tournament.toml)."""
        test = self.hypotheses
        sprt = {
            "bots": list(self.bots),
            "elo0": test.elo0,
            "elo1": test.elo1,
            "alpha": test.alpha,
            "beta": test.beta,
            "scale": test.scale,
            "measure": self.measure,
        }
        return {"every": EVERY_DEALS if deals else EVERY_GAMES, "sprt": sprt}


class LiveTest:
    """The line of progress: the log-likelihood ratio between its bounds. Each deal set is read from the store once."""

    def __init__(self, trial: Trial, match: TournamentFile, store: Store) -> None:
        """Before the first set of `match`, which is of one variant."""
        (entry,) = match.variants
        lineups = [lineup for lineup in entry.lineups if set(trial.bots) <= set(lineup.positions)]
        self._trial = trial
        self._store = store
        self._entry = entry.id
        self._lineups = [lineup.text for lineup in lineups]
        self._due = sum(len(lineup.rotations) for lineup in lineups)
        self._test = SequentialTest(trial.hypotheses, trial.measure)
        self._read = 0
        """How many deal sets of all line-ups, from the first on, the test was told."""
        self._computed = 0
        self._line = ""

    def line(self, event: SetSaved) -> str:
        """`LLR 1.31 (-2.94 to 2.94)`."""
        if event.sets_done >= self._computed * GROWTH:
            self._computed = event.sets_done
            decision = self._test.add(list(self._further(event.results[0].id.run)))
            self._line = f"LLR {decision.llr:.2f} ({decision.lower:.2f} to {decision.upper:.2f})"
        return self._line

    def _further(self, run: str) -> Iterator[SetValue]:
        """The deal sets behind those that were read, up to the first that is not stored with all its line-ups."""
        while True:
            sets = self._block(run, self._read // BLOCK_SETS)
            for number in range(self._read, (self._read // BLOCK_SETS + 1) * BLOCK_SETS):
                games = sets.get(number, [])
                if len(games) < self._due:
                    return
                yield from set_values(games, *self._trial.bots, self._trial.measure)
                self._read += 1

    def _block(self, run: str, number: int) -> Mapping[int, list[GameResult]]:
        """The stored games of a block of every line-up, by deal set."""
        sets: dict[int, list[GameResult]] = {}
        for lineup in self._lineups:
            for result in self._store.results(run, Block(number, self._entry, lineup)):
                sets.setdefault(result.id.set_number, []).append(result)
        return sets


def show_verdict(trial: Trial, store: Store, run: RunRow, *, as_json: bool) -> None:
    """Print what a test that has ended says, on stdout."""
    results = store.results(run.fingerprint)
    values = set_values(results, *trial.bots, trial.measure)
    decision = decide(values, trial.hypotheses, trial.measure)
    strength = strength_of(values[: decision.sets], trial.measure)
    if as_json:
        print_json(
            {
                "run": run,
                "bots": trial.bots,
                "hypotheses": trial.hypotheses,
                "measure": trial.measure,
                **{name: getattr(decision, name) for name in ("llr", "lower", "upper", "sets")},
                "accepted": decision.accepted or None,
                "elo": estimate_document(strength.elo) if strength and strength.elo else None,
                "normalised_elo": estimate_document(strength.normalised) if strength else None,
                "mean_above_table": estimate_document(strength.mean) if strength else None,
            }
        )
        return
    lines = [headline(run), "", verdict_of(trial, decision)]
    if strength is not None:
        if strength.elo is not None:
            lines.append(f"Elo {_with_error(strength.elo)}, normalised Elo {_with_error(strength.normalised)}")
        else:
            lines.append(
                f"points a deal above the table {_with_error(strength.mean, 2)}, "
                f"normalised Elo {_with_error(strength.normalised)}"
            )
        lines.append("(95% intervals; the size of a difference is overrated where the results decide when to stop)")
    print_lines(lines)


def verdict_of(trial: Trial, decision: Decision) -> str:
    """The verdict as a sentence."""
    bounds = f"bounds {decision.lower:.2f} and {decision.upper:.2f}"
    where = f"after {decision.sets} deal sets (LLR {decision.llr:.2f}, {bounds})"
    if not decision.accepted:
        return f"no verdict {where}: neither hypothesis is accepted; a larger --max-sets with --resume goes on"
    return f"{decision.accepted} is accepted {where}: {trial.hypotheses.said(decision.accepted, *trial.bots)}"


def _with_error(estimate: Estimate, digits: int = 1) -> str:
    """`55.6 ±27.7`; `>?` for a perfect score, and no error where the interval reaches to a perfect one."""
    if not math.isfinite(estimate.value):
        return ">?" if estimate.value > 0 else "<?"
    if not math.isfinite(estimate.se):
        return f"{estimate.value:.{digits}f} (too few sets for an error)"
    low, high = estimate.interval()
    return f"{estimate.value:.{digits}f} ±{(high - low) / 2:.{digits}f}"
