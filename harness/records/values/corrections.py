"""Corrections: what an organiser changed in a run after play, in public (faults.md, Corrections).

A correction takes deal sets out of the results. It commits to a seed of its own, from which these sets are dealt again
when the run is resumed. The games that do not count any more stay in the database and in archives, under the number of
the correction. So the last correction that names a deal set says which seed its games come from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from engine import counted
from harness.records.quoting import shown
from harness.records.values.run import SetKey, commitment_of
from harness.records.values.voids import VoidedSet

VOID, REINSTATE = "void", "reinstate"
KINDS = (VOID, REINSTATE)
"""Games are void by the organiser's decision, or a withdrawn bot is back in the run."""

LONGEST_WHY = 300
LONGEST_BY = 60
"""Characters of the reason and of the name of the person, each one line."""

MOST_CORRECTIONS = 1000
"""Most corrections of a run."""

THE_RUN = 0
"""The number that stands for the run's own seed where others are those of corrections."""


@dataclass(frozen=True, slots=True)
class Correction:
    """One decision of an organiser about a run.

    number: from 1, in the order in which they were made.
    kind: one of KINDS.
    bot: the bot that is back in the run; "" for VOID.
    by: who decided.
    why: the reason, one sentence.
    saved: when, UTC, ISO 8601.
    commitment: to the seed of the deal sets that are played instead; "" if `sets` is empty.
    seed: these 32 bytes once they are published; None before, and without a commitment.
    sets: the deal sets that do not count any more, sorted, each once.
    games: how many games of these sets had been stored. They stay, marked with `number`.
    """

    number: int
    kind: str
    bot: str
    by: str
    why: str
    saved: str
    commitment: str
    seed: bytes | None
    sets: tuple[SetKey, ...]
    games: int


@dataclass(frozen=True, slots=True)
class VoidedGame:
    """The record of a game that does not count any more, with the stories of its faults.

    correction: the number of the correction that took it out of the results.
    id: of the game. The game that is played instead has the same id, and another commitment.
    record: the text of its record.
    stories: the text of its faults' stories (`text.story_text`); "" if it has none.
    story_count: how many stories that are.
    """

    correction: int
    id: str
    record: str
    stories: str = ""
    story_count: int = 0


def wrong_sentence(text: str, longest: int) -> str:
    """Return why a text cannot be the reason of a correction or the name of a person; "" if it can."""
    if text.strip() and text == text.strip() and len(text) <= longest and shown(text) == text:
        return ""
    return f"{shown(text, longest)!r} is not one line of 1 to {longest} printable characters without spaces around it"


def last_corrections(corrections: Iterable[Correction]) -> dict[SetKey, int]:
    """Return by corrected deal set the number of its last correction, from whose seed it is dealt."""
    return {key: one.number for one in sorted(corrections, key=lambda each: each.number) for key in one.sets}


def commitments_of(corrections: Iterable[Correction]) -> dict[SetKey, str]:
    """Return by corrected deal set the commitment to the seed that it is dealt from."""
    listed = list(corrections)
    by_number = {one.number: one.commitment for one in listed}
    return {key: by_number[number] for key, number in last_corrections(listed).items()}


@dataclass(frozen=True, slots=True)
class DealSource:
    """What the deals of a deal set come from.

    correction: THE_RUN for the run's seed, or the number of the correction whose seed it is.
    commitment: to the seed.
    seed: 32 bytes; None while it is secret.
    """

    correction: int
    commitment: str
    seed: bytes | None


class DealSources:
    """The source of the deals of each deal set of a run, also of those that do not count any more."""

    def __init__(
        self, commitment: str, seed: bytes | None, corrections: Iterable[Correction], voids: Iterable[VoidedSet] = ()
    ) -> None:
        """Take the run's own commitment and seed, its corrections and its voids."""
        self._of_run = DealSource(THE_RUN, commitment, seed)
        self._voids = Counter((void.key, void.correction) for void in voids)
        self._history: dict[SetKey, list[DealSource]] = {}
        for one in sorted(corrections, key=lambda each: each.number):
            for key in one.sets:
                self._history.setdefault(key, []).append(DealSource(one.number, one.commitment, one.seed))

    def of(self, key: SetKey, voided_by: int = THE_RUN) -> DealSource:
        """Return the source of a deal set's games: of those that count, or that correction `voided_by` took out."""
        history = self._history.get(key, ())
        if not voided_by:
            return history[-1] if history else self._of_run
        earlier = [source for source in history if source.correction < voided_by]
        return earlier[-1] if earlier else self._of_run

    def attempt(self, key: SetKey, source: DealSource) -> int:
        """Return which attempt at a deal set, dealt from this source, is not void (`values.voids`)."""
        return self._voids[key, source.correction]


def wrong_corrections(corrections: Sequence[Correction], entered: Collection[str]) -> str:
    """Return what no run can have written of its corrections, as a sentence; "" if there is nothing.

    entered: the names of the run's bots.
    """
    if [one.number for one in corrections] != list(range(1, len(corrections) + 1)):
        return "the corrections are not numbered from 1, each following the one before it"
    if len(corrections) > MOST_CORRECTIONS:
        return f"there are {len(corrections)} corrections, and a run has at most {MOST_CORRECTIONS}"
    for one in corrections:
        if wrong := _wrong_correction(one, entered):
            return f"correction {one.number}: {wrong}"
    return ""


def _wrong_correction(one: Correction, entered: Collection[str]) -> str:
    if one.kind not in KINDS or (one.kind == REINSTATE) != bool(one.bot) or (one.bot and one.bot not in entered):
        return (
            f"its kind is {shown(one.kind, LONGEST_BY)!r} and its bot {shown(one.bot, LONGEST_BY)!r}; "
            f"{REINSTATE} names a bot of the run, and {VOID} none"
        )
    if wrong := wrong_sentence(one.by, LONGEST_BY) or wrong_sentence(one.why, LONGEST_WHY):
        return wrong
    if list(one.sets) != sorted(set(one.sets)):
        return "its deal sets are not sorted, each once"
    if bool(one.sets) != bool(one.commitment) or (one.kind == VOID and not one.sets):
        return f"it has {counted(len(one.sets), 'deal set')} and the commitment {shown(one.commitment, 80)!r}"
    if one.seed is not None and commitment_of(one.seed) != one.commitment:
        return "its seed is not the committed one"
    return ""


def correction_lines(corrections: Sequence[Correction], stored: Collection[SetKey]) -> list[str]:
    """Return the lines about corrections to show with standings, the latest last; [] if there are none.

    stored: the deal sets that are stored, to tell how many of each correction were played again.
    """
    last = last_corrections(corrections)
    lines = []
    for one in corrections:
        again = sum(key in stored for key in one.sets if last[key] == one.number)
        what = f"bot {one.bot} is reinstated" if one.kind == REINSTATE else f"{counted(one.games, 'game')} voided"
        later = sum(last[key] != one.number for key in one.sets)
        once_more = f", {later} taken out once more later" if later else ""
        sets = f" ({counted(len(one.sets), 'deal set')} taken out, {again} played again{once_more})" if one.sets else ""
        lines.append(f"correction {one.number}, {one.saved[:10]}, by {one.by}: {what}{sets}: {one.why}")
    return lines
