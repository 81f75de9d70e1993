"""A sequential test on the terminal: its likelihood ratio while it runs, and its verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine import counted
from harness.cli.display.standings import estimate_document, headline
from harness.cli.shared.output import print_json, print_lines
from harness.ratings.estimate import Estimate
from harness.ratings.sequential.set_values import set_values
from harness.ratings.sequential.sprt import Hypotheses, SequentialDecision, SequentialTest, decide, strength_of
from harness.records.values.run import BLOCK_SETS
from harness.records.values.set_keys import Block
from harness.records.values.voids import counts_of, left_out_of, void_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.ratings.sequential.set_values import SetValue
    from harness.records.store.store import Store
    from harness.records.values.game_result import GameResult
    from harness.records.values.query_results import RunRow
    from harness.tournament.config.tournament_file import TournamentFile
    from harness.tournament.events import SetSaved

EVERY_GAMES, EVERY_DEALS = 16, 64
"""Deal sets of each line-up between two checks of the stop rule, for games and for single deals: as many as can be
played at once."""

GROWTH = 1.02
"""Factor by which the number of sets grows before the live ratio is computed again, which reads from the store."""


@dataclass(frozen=True, slots=True)
class SprtSettings:
    """A sequential test: the two bots, the hypotheses, and the measure of a deal set (`set_values.MEASURES`)."""

    bots: tuple[str, str]
    hypotheses: Hypotheses
    measure: str

    def stop_rule(self, deals: bool) -> dict[str, object]:
        """Return the stop rule for its tournament (tournament-file.md); `deals` if single deals are played."""
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


class LiveRatio:
    """The log-likelihood ratio and its bounds, for progress. Reads each deal set from the store once."""

    def __init__(self, settings: SprtSettings, match: TournamentFile, store: Store) -> None:
        """Start before the first set of `match`, which must be of one variant."""
        (entry,) = match.variants
        lineups = [lineup for lineup in entry.lineups if set(settings.bots) <= set(lineup.positions)]
        self._settings = settings
        self._store = store
        self._entry = entry.id
        self._lineups = [lineup.text for lineup in lineups]
        self._games_per_set = sum(len(lineup.rotations) for lineup in lineups)
        self._test = SequentialTest(settings.hypotheses, settings.measure)
        self._sets_read = 0
        """Number of deal sets that the test has, complete in all line-ups or left out in one."""
        self._computed_at = 0
        self._status = ""

    def status(self, event: SetSaved) -> str:
        """Return the text for progress, such as `LLR 1.31 (-2.94 to 2.94)`."""
        if event.sets_done >= self._computed_at * GROWTH:
            self._computed_at = event.sets_done
            decision = self._test.add(list(self._unread_values(event.results[0].id.run)))
            self._status = f"LLR {decision.llr:.2f} ({decision.lower:.2f} to {decision.upper:.2f})"
        return self._status

    def _unread_values(self, run: str) -> Iterator[SetValue]:
        """Yield the values of the unread deal sets, up to the first that is not stored for all line-ups."""
        left_out = {(key.entry, key.number) for key in left_out_of(self._store.voids(run))}
        while True:
            sets = self._block(run, self._sets_read // BLOCK_SETS)
            for number in range(self._sets_read, (self._sets_read // BLOCK_SETS + 1) * BLOCK_SETS):
                games = sets.get(number, [])
                if (self._entry, number) in left_out:
                    self._sets_read += 1
                    continue
                if len(games) < self._games_per_set:
                    return
                yield from set_values(games, *self._settings.bots, self._settings.measure)
                self._sets_read += 1

    def _block(self, run: str, number: int) -> Mapping[int, list[GameResult]]:
        """Return the stored games of a block by deal set, all line-ups together."""
        sets: dict[int, list[GameResult]] = {}
        for lineup in self._lineups:
            for result in self._store.results(run, Block(number, self._entry, lineup)):
                sets.setdefault(result.id.set_number, []).append(result)
        return sets


def print_verdict(settings: SprtSettings, store: Store, run: RunRow, *, as_json: bool) -> None:
    """Print the verdict of a finished test on stdout, with the estimated strength."""
    results = store.results(run.fingerprint)
    left_out = left_out_of(store.voids(run.fingerprint))
    values = set_values(results, *settings.bots, settings.measure, left_out=left_out)
    decision = decide(values, settings.hypotheses, settings.measure)
    strength = strength_of(values[: decision.sets], settings.measure)
    if as_json:
        print_json(
            {
                "run": run,
                "bots": settings.bots,
                "hypotheses": settings.hypotheses,
                "measure": settings.measure,
                **{name: getattr(decision, name) for name in ("llr", "lower", "upper", "sets")},
                "accepted": decision.accepted or None,
                "elo": estimate_document(strength.elo) if strength and strength.elo else None,
                "normalised_elo": estimate_document(strength.normalised) if strength else None,
                "mean_above_table": estimate_document(strength.mean) if strength else None,
            }
        )
        return
    voids = void_lines(counts_of(store.voids(run.fingerprint)))
    lines = [headline(run), *voids, "", verdict_sentence(settings, decision, len(values))]
    if strength is not None:
        if strength.elo is not None:
            lines.append(f"Elo {_with_error(strength.elo)}, normalised Elo {_with_error(strength.normalised)}")
        else:
            lines.append(
                f"points a deal above the table {_with_error(strength.mean, 2)}, "
                f"normalised Elo {_with_error(strength.normalised)}"
            )
        lines.append("(95% intervals; a test that stops early makes a difference look larger than it is)")
    print_lines(lines)


def verdict_sentence(settings: SprtSettings, decision: SequentialDecision, played: int) -> str:
    """Return the verdict after `played` deal sets as a sentence: the accepted hypothesis, or how to continue."""
    bounds = f"bounds {decision.lower:.2f} and {decision.upper:.2f}"
    sets = counted(played, "deal set") if decision.sets == played else f"{decision.sets} of {played} deal sets played"
    where = f"after {sets} (LLR {decision.llr:.2f}, {bounds})"
    if not decision.accepted:
        return f"no verdict {where}: neither hypothesis is accepted; a larger --max-sets with --resume continues"
    return (
        f"{decision.accepted} is accepted {where}: {settings.hypotheses.conclusion(decision.accepted, *settings.bots)}"
    )


def _with_error(estimate: Estimate, digits: int = 1) -> str:
    """Return `55.6 ±27.7`; `>?` or `<?` for a perfect score, and no error if the interval has an open end."""
    if not math.isfinite(estimate.value):
        return ">?" if estimate.value > 0 else "<?"
    if not math.isfinite(estimate.se):
        return f"{estimate.value:.{digits}f} (too few sets for an error)"
    low, high = estimate.interval()
    return f"{estimate.value:.{digits}f} ±{(high - low) / 2:.{digits}f}"
