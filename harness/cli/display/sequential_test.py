"""A sequential test on the terminal: its likelihood ratio during the test, and its verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bowerbird.engine import counted
from bowerbird.harness.cli.display.corrections import correction_head, corrections_document
from bowerbird.harness.cli.display.standings import headline
from bowerbird.harness.cli.display.standings_document import estimate_document, finite
from bowerbird.harness.cli.shared.output import print_json, print_lines
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.sequential.set_values import set_values
from bowerbird.harness.ratings.sequential.sprt import (
    Hypotheses,
    SequentialDecision,
    SequentialTest,
    decide,
    strength_of,
)
from bowerbird.harness.ratings.standings.text.cells import percent_text
from bowerbird.harness.records.values.run import BLOCK_SETS, OWN
from bowerbird.harness.records.values.set_keys import Block
from bowerbird.harness.records.values.voids import counts_of, left_out_of, void_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bowerbird.harness.ratings.sequential.set_values import SetValue
    from bowerbird.harness.ratings.sequential.sprt import StoppedStrength, Strength
    from bowerbird.harness.ratings.sequential.stopped import StoppedEstimate
    from bowerbird.harness.records.store.store import Store, StoredRun
    from bowerbird.harness.records.values.game_result import GameResult
    from bowerbird.harness.tournament.config.tournament_file import TournamentFile
    from bowerbird.harness.tournament.events import SetSaved

EVERY_GAMES, EVERY_DEALS = 16, 64
"""Deal sets of each line-up to play, in parallel, between two checks of the stop rule, for games and for single deals.
"""

GROWTH = 1.02
"""The live ratio reads from the store, so it is recomputed only when the number of sets has grown by this factor."""


@dataclass(frozen=True, slots=True)
class SprtSettings:
    """The settings of a sequential test: two bots, hypotheses, and a measure of a deal set (`set_values.MEASURES`)."""

    bots: tuple[str, str]
    hypotheses: Hypotheses
    measure: str

    def stop_rule(self, deals: bool) -> dict[str, object]:
        """Return the stop rule for the test's tournament (tournament-file.md). `deals`: True to play single deals."""
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
    """The log-likelihood ratio and its bounds, for progress. Each deal set is read from the store only once."""

    def __init__(self, settings: SprtSettings, match: TournamentFile, store: Store) -> None:
        """Start before the first deal set of `match`, which must have exactly one variant."""
        (entry,) = match.variants
        lineups = [lineup for lineup in entry.lineups if set(settings.bots) <= set(lineup.positions)]
        self._settings = settings
        self._store = store
        self._entry = entry.id
        self._has_own_packs = match.packs == OWN
        self._games = {lineup.text: len(lineup.rotations) for lineup in lineups}
        """The games of a deal set, by line-up."""
        self._test = SequentialTest(settings.hypotheses, settings.measure)
        self._sets_read = 0
        """Number of deal sets read so far: complete in all line-ups, or left out in one."""
        self._computed_at = 0
        self._status = ""

    def status(self, event: SetSaved) -> str:
        """Return the progress text, such as `LLR 1.31 (-2.94 to 2.94)`."""
        if event.sets_done >= self._computed_at * GROWTH:
            self._computed_at = event.sets_done
            decision = self._test.add(list(self._unread_values(self._store[event.results[0].id.run])))
            self._status = f"LLR {decision.llr:.2f} ({decision.lower:.2f} to {decision.upper:.2f})"
        return self._status

    def _unread_values(self, run: StoredRun) -> Iterator[SetValue]:
        """Yield the values of the unread deal sets, up to the first set that is not yet stored for all line-ups."""
        left_out = [key for key in left_out_of(run.voids()) if key.entry == self._entry]
        without: dict[int, set[str]] = {}
        for key in left_out:
            without.setdefault(key.number, set()).update([key.lineup] if self._has_own_packs else self._games)
        while True:
            sets = self._block(run, self._sets_read // BLOCK_SETS)
            for number in range(self._sets_read, (self._sets_read // BLOCK_SETS + 1) * BLOCK_SETS):
                games = sets.get(number, [])
                gone = without.get(number, ())
                if len(games) < sum(due for lineup, due in self._games.items() if lineup not in gone):
                    return
                yield from set_values(games, *self._settings.bots, self._settings.measure, left_out=left_out)
                self._sets_read += 1

    def _block(self, run: StoredRun, number: int) -> Mapping[int, list[GameResult]]:
        """Return the stored games of a block by deal set, with all line-ups together."""
        sets: dict[int, list[GameResult]] = {}
        for lineup in self._games:
            for result in run.results(Block(number, self._entry, lineup)):
                sets.setdefault(result.id.set_number, []).append(result)
        return sets


def print_verdict(settings: SprtSettings, run: StoredRun, *, as_json: bool) -> None:
    """Print the verdict of a finished test on stdout, with the estimated strength."""
    results = run.results()
    left_out = left_out_of(run.voids())
    values = set_values(results, *settings.bots, settings.measure, left_out=left_out)
    decision = decide(values, settings.hypotheses, settings.measure)
    strength = strength_of(values, settings.measure, settings.hypotheses)
    if as_json:
        print_json(
            {
                "run": run.row,
                "bots": settings.bots,
                "hypotheses": settings.hypotheses,
                "measure": settings.measure,
                **{name: getattr(decision, name) for name in ("llr", "lower", "upper", "sets")},
                "accepted": decision.accepted or None,
                "corrections": corrections_document(run),
                **strength_document(strength),
            }
        )
        return
    remarks = [
        *void_lines(counts_of(run.voids())),
        *correction_head(run, full=False),
    ]
    print_lines(
        [
            stronger_sentence(settings, decision, strength),
            headline(run),
            *remarks,
            "",
            verdict_sentence(settings, decision, len(values)),
            *strength_lines(strength),
        ]
    )


def strength_document(strength: Strength | None) -> dict[str, object]:
    """Return the estimates for JSON: the plain ones, and under `corrected` those that allow for the test's early stop.

    Missing estimates are null.
    """
    corrected = strength.corrected if strength is not None else None
    return {
        "elo": estimate_document(strength.elo) if strength and strength.elo else None,
        "normalised_elo": estimate_document(strength.normalised) if strength else None,
        "mean_above_table": estimate_document(strength.mean) if strength else None,
        "corrected": None if corrected is None else _corrected_document(corrected),
    }


def _corrected_document(corrected: StoppedStrength) -> dict[str, object]:
    def ends(estimate: StoppedEstimate) -> dict[str, object]:
        return {name: finite(getattr(estimate, name)) for name in ("value", "low", "high")}

    return {
        "elo": ends(corrected.elo) if corrected.elo is not None else None,
        "normalised_elo": ends(corrected.normalised),
        "mean_above_table": ends(corrected.mean),
        "los": corrected.superiority,
    }


def strength_lines(strength: Strength | None) -> list[str]:
    """Return the estimates as lines: first those that allow for the test's early stop, then the plain ones."""
    if strength is None:
        return []
    plain = _in_words(
        _with_error(strength.elo) if strength.elo else "",
        _with_error(strength.mean, 2),
        _with_error(strength.normalised),
    )
    corrected = strength.corrected
    if corrected is None:
        return [plain, "(at 95%, each deal set taken as one game; a perfect score is not corrected for the stop)"]
    best = _in_words(
        _with_ends(corrected.elo) if corrected.elo else "",
        _with_ends(corrected.mean, 2),
        _with_ends(corrected.normalised),
    )
    return [
        f"{best}, LOS {percent_text(corrected.superiority)}",
        "(95% intervals, corrected for the stop: a test that stops early makes a difference look larger than it is)",
        f"without the correction: {plain}",
    ]


def _in_words(elo: str, mean: str, normalised: str) -> str:
    """Return the difference in Elo, or in points if `elo` is "", then in normalised Elo."""
    return f"{f'Elo {elo}' if elo else f'points a deal above the table {mean}'}, normalised Elo {normalised}"


def stronger_sentence(settings: SprtSettings, decision: SequentialDecision, strength: Strength | None) -> str:
    """Return a sentence that names the stronger bot, or says that the test doesn't show it.

    A bot is stronger if the accepted hypothesis rules out the opposite, or if 0 lies outside the 95% interval.
    """
    one, other = settings.bots
    low, high = _interval(strength)
    if low > 0 or (decision.accepted == "H1" and settings.hypotheses.elo0 >= 0):
        return f"{one} is stronger than {other}"
    if high < 0 or (decision.accepted == "H0" and settings.hypotheses.elo1 <= 0):
        return f"{other} is stronger than {one}"
    if decision.accepted == "H0":
        return f"not shown: that {one} is stronger than {other}"
    return f"not shown: which of {one} and {other} is stronger"


def _interval(strength: Strength | None) -> tuple[float, float]:
    """Return the 95% interval of the tested mean, corrected for the stop if possible; without limits if unknown."""
    if strength is None:
        return -math.inf, math.inf
    if strength.corrected is None:
        return strength.mean.interval()
    return strength.corrected.mean.low, strength.corrected.mean.high


def verdict_sentence(settings: SprtSettings, decision: SequentialDecision, played: int) -> str:
    """Return a sentence with the verdict after `played` deal sets: the accepted hypothesis, or how to continue."""
    bounds = f"bounds {decision.lower:.2f} and {decision.upper:.2f}"
    sets = counted(played, "deal set") if decision.sets == played else f"{decision.sets} of {played} deal sets played"
    where = f"after {sets} (LLR {decision.llr:.2f}, {bounds})"
    if not decision.accepted:
        return f"no verdict {where}: neither hypothesis is accepted; a larger --max-sets with --resume continues"
    return (
        f"{decision.accepted} is accepted {where}: {settings.hypotheses.conclusion(decision.accepted, *settings.bots)}"
    )


def _with_error(estimate: Estimate, digits: int = 1) -> str:
    """Return `55.6 ±27.7`; `528.9, at least 140.2` after a perfect score."""
    low, high = estimate.interval()
    shown = f"{estimate.value:.{digits}f}"
    if math.isfinite(low) and math.isfinite(high):
        return f"{shown} ±{(high - low) / 2:.{digits}f}"
    if math.isfinite(low):
        return f"{shown}, at least {low:.{digits}f}"
    if math.isfinite(high):
        return f"{shown}, at most {high:.{digits}f}"
    return f"{shown} (too few sets to estimate an error)"


def _with_ends(estimate: StoppedEstimate, digits: int = 1) -> str:
    """Return `55.6 (28.1 to 83.4)`."""
    low, high = (f"{end:.{digits}f}" if math.isfinite(end) else "no limit" for end in (estimate.low, estimate.high))
    return f"{estimate.value:.{digits}f} ({low} to {high})"
