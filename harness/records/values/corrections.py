"""Corrections: an organiser's public changes to a run after play (faults.md, Corrections).

A correction takes deal sets out of the results. It commits to its own seed, from which these sets are dealt again when
the run is resumed. A withdrawal can annul deal sets instead: nothing replaces them, and they count again if the bot is
reinstated. The games that no longer count stay in the database and in archives, under the number of the correction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from bowerbird.engine import counted
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.faults import NEVER_STARTED
from bowerbird.harness.records.values.run import SetKey, commitment_of
from bowerbird.harness.records.values.voids import VoidedSet

VOID, REINSTATE, WITHDRAW = "void", "reinstate", "withdraw"
KINDS = (VOID, REINSTATE, WITHDRAW)
"""The kinds of correction: voiding games, taking a withdrawn bot back into the run, or taking a bot out of it."""

OF_A_BOT = (REINSTATE, WITHDRAW)
"""The kinds that name a bot."""

LONGEST_WHY = 300
LONGEST_BY = 60
"""The most characters of the reason, and of the person's name. Each is one line."""

MOST_CORRECTIONS = 1000
MOST_SETS = 50_000
"""The most corrections of a run, and the most deal sets in all of them, so that any archive can be read in seconds."""

THE_RUN = 0
"""The number for the run's own seed, where other numbers are those of corrections."""


@dataclass(frozen=True, slots=True)
class Correction:
    """An organiser's decision about a run.

    number: from 1, in the order of the corrections.
    kind: one of KINDS.
    bot: the bot that returns to the run or is taken out of it; "" for VOID.
    by: who decided.
    why: the reason, one sentence.
    saved: when it was stored, UTC, ISO 8601. commitment: the commitment to the seed of the deal sets played instead; ""
        if there are none.
    seed: the seed, 32 bytes, once it is published; None before that, and without a commitment.
    sets: the deal sets that no longer count, sorted, each once. The deal sets of WITHDRAW are annulled.
    games: the number of stored games in these sets. They stay, marked with `number`.
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
    """The record of a game that no longer counts, with the stories of its faults and the notes of its bots.

    correction: the number of the correction that took it out of the results.
    id: the id of the game. The game that is played instead has the same id but another commitment.
    record: the text of its record.
    stories: the text of its faults' stories (`text.beside_text`); "" if it has none.
    story_count: how many stories there are.
    notes: the text of the notes of its bots (`text.beside_text`); "" if it has none.
    note_count: how many notes there are.
    """

    correction: int
    id: str
    record: str
    stories: str = ""
    story_count: int = 0
    notes: str = ""
    note_count: int = 0


def wrong_sentence(text: str, longest: int) -> str:
    """Return why a string cannot be the reason of a correction or the name of a person; "" if it can."""
    if text.strip() and text == text.strip() and len(text) <= longest and shown(text) == text:
        return ""
    return f"{shown(text, longest)!r} is not one line of 1 to {longest} printable characters without spaces around it"


def last_corrections(corrections: Iterable[Correction]) -> dict[SetKey, int]:
    """For each deal set that a correction deals again, return the number of the last such correction."""
    in_order = sorted(corrections, key=lambda each: each.number)
    return {key: one.number for one in in_order if one.kind != WITHDRAW for key in one.sets}


def annulled_sets(corrections: Iterable[Correction]) -> dict[SetKey, frozenset[str]]:
    """Return the annulled deal sets, each with the withdrawn bots for which it is annulled.

    A set is annulled until each of these bots is reinstated, or a correction deals it again.
    """
    bots: dict[SetKey, set[str]] = {}
    for one in sorted(corrections, key=lambda each: each.number):
        if one.kind == WITHDRAW:
            for key in one.sets:
                bots.setdefault(key, set()).add(one.bot)
            continue
        for key in one.sets:
            bots.pop(key, None)
        if one.kind == REINSTATE:
            for names in bots.values():
                names.discard(one.bot)
    return {key: frozenset(names) for key, names in bots.items() if names}


def disqualified(corrections: Iterable[Correction]) -> frozenset[str]:
    """Return the bots that were withdrawn with their games annulled."""
    return frozenset(bot for bots in annulled_sets(corrections).values() for bot in bots)


@dataclass(frozen=True, slots=True)
class DealSource:
    """The seed from which a deal set is dealt.

    correction: THE_RUN for the run's seed, or the number of the correction with this seed.
    commitment: the commitment to the seed. seed: 32 bytes; None while it is secret.
    """

    correction: int
    commitment: str
    seed: bytes | None


class DealSources:
    """The seeds from which the deals of a run come: its own, and those of its corrections.

    A deal set is dealt from the last correction that names it, or from the run's seed if none does. If that seed is
    already published when the set is played, it is dealt from a later correction whose seed is still secret; the same
    applies to rounds that depend on changed results. The commitment in each record shows which seed was used.
    """

    def __init__(
        self, commitment: str, seed: bytes | None, corrections: Iterable[Correction], voids: Iterable[VoidedSet] = ()
    ) -> None:
        """Use the run's own commitment and seed, its corrections and its voids."""
        in_order = [one for one in sorted(corrections, key=lambda each: each.number) if one.kind != WITHDRAW]
        self._voids = Counter((void.key, void.correction) for void in voids)
        self._by_commitment = {commitment: DealSource(THE_RUN, commitment, seed)} | {
            one.commitment: DealSource(one.number, one.commitment, one.seed) for one in in_order if one.commitment
        }
        self._named: dict[SetKey, list[int]] = {}
        for one in in_order:
            for key in one.sets:
                self._named.setdefault(key, []).append(one.number)

    def find(self, key: SetKey, commitment: str, voided_by: int = THE_RUN) -> DealSource | None:
        """Return the source of a game's deals; None if no game of the deal set has this commitment.

        voided_by: the number of the correction that took the game out of the results; THE_RUN if it counts.
        """
        source = self._by_commitment.get(commitment)
        named = [number for number in self._named.get(key, ()) if not voided_by or number < voided_by]
        if source is None or source.correction < max(named, default=THE_RUN):
            return None
        return source if not voided_by or source.correction < voided_by else None

    def attempt(self, key: SetKey, source: DealSource) -> int:
        """Return the first attempt at a deal set, dealt from this source, that is not void (`values.voids`)."""
        return self._voids[key, source.correction]


def wrong_corrections(corrections: Sequence[Correction], entered: Collection[str]) -> str:
    """Return a sentence about anything impossible in a run's corrections; "" if they are possible.

    entered: the names of the run's bots.
    """
    if [one.number for one in corrections] != list(range(1, len(corrections) + 1)):
        return "the corrections are not numbered from 1, each following the one before it"
    if len(corrections) > MOST_CORRECTIONS:
        return f"there are {len(corrections)} corrections, and a run has at most {MOST_CORRECTIONS}"
    if (named := sum(len(one.sets) for one in corrections)) > MOST_SETS:
        return f"the corrections name {named:,} deal sets, and those of a run name at most {MOST_SETS:,}"
    for one in corrections:
        if wrong := _wrong_correction(one, entered):
            return f"correction {one.number}: {wrong}"
    return ""


def _wrong_correction(one: Correction, entered: Collection[str]) -> str:
    if one.kind not in KINDS or (one.kind in OF_A_BOT) != bool(one.bot) or (one.bot and one.bot not in entered):
        return (
            f"its kind is {shown(one.kind, LONGEST_BY)!r} and its bot {shown(one.bot, LONGEST_BY)!r}; "
            f"{REINSTATE} and {WITHDRAW} name a bot of the run, and {VOID} none"
        )
    if wrong := wrong_sentence(one.by, LONGEST_BY) or wrong_sentence(one.why, LONGEST_WHY):
        return wrong
    if list(one.sets) != sorted(set(one.sets)):
        return "its deal sets are not sorted, each once"
    deals_again = one.kind != WITHDRAW and bool(one.sets)
    if bool(one.commitment) != deals_again or (one.kind == VOID and not one.sets):
        return f"it has {counted(len(one.sets), 'deal set')} and the commitment {shown(one.commitment, 80)!r}"
    if one.seed is not None and commitment_of(one.seed) != one.commitment:
        return "its seed is not the committed one"
    return ""


def withdrawn_by_hand(corrections: Iterable[Correction]) -> dict[str, Correction]:
    """Return the bots that an organiser took out of a run and did not reinstate, each with the correction."""
    found: dict[str, Correction] = {}
    for one in sorted(corrections, key=lambda each: each.number):
        if one.kind == WITHDRAW:
            found[one.bot] = one
        elif one.kind == REINSTATE:
            found.pop(one.bot, None)
    return found


def what_was_decided(one: Correction) -> str:
    """Return the decision of a correction in words: `bot greedy is withdrawn`, `4 games voided`."""
    if one.kind == VOID:
        return f"{counted(one.games, 'game')} voided"
    return f"bot {one.bot} is {'reinstated' if one.kind == REINSTATE else 'withdrawn'}"


class CorrectedSets:
    """Reports what became of the deal sets of a run's corrections."""

    def __init__(self, corrections: Sequence[Correction], stored: Collection[SetKey]) -> None:
        """Use all corrections of a run, and the stored deal sets that count."""
        self._last = last_corrections(corrections)
        self._annulled = annulled_sets(corrections)
        self._stored = stored

    def played_again(self, one: Correction) -> tuple[SetKey, ...]:
        """Return the deal sets of a correction that have been played again."""
        return tuple(key for key in one.sets if self._last.get(key) == one.number and key in self._stored)

    def sentence(self, one: Correction) -> str:
        """Return `12 deal sets taken out, 8 played again`, or `12 deal sets annulled`; "" if it took none out."""
        if not one.sets:
            return ""
        sets = counted(len(one.sets), "deal set")
        if one.kind == WITHDRAW:
            back = sum(one.bot not in self._annulled.get(key, ()) for key in one.sets)
            return f"{sets} annulled" + (f", {back} no longer" if back else "")
        later = sum(self._last[key] != one.number for key in one.sets)
        once_more = f", {later} removed again later" if later else ""
        return f"{sets} taken out, {len(self.played_again(one))} played again{once_more}"


def correction_lines(corrections: Sequence[Correction], stored: Collection[SetKey]) -> list[str]:
    """Return lines about corrections to show with standings, the latest last; [] if there are none.

    stored: the stored deal sets, which show how many of each correction were played again.
    """
    sets = CorrectedSets(corrections, stored)
    lines = []
    for one in corrections:
        told = f" ({sentence})" if (sentence := sets.sentence(one)) else ""
        secret = f"; commitment {one.commitment}" if one.commitment and one.seed is None else ""
        what = what_was_decided(one)
        lines.append(f"correction {one.number}, {one.saved[:10]}, by {one.by}: {what}{told}: {one.why}{secret}")
    return lines


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A bot that was withdrawn with games left to play, or by an organiser.

    kind: the kind of fault that led to it.
    faults: the number of its faults; 0 if unknown.
    unplayed: the games that it missed.
    by, why: the person who took it out of the run, and the reason; "" if its faults led to it.
    annulled: the number of its deal sets that don't count because of that decision.
    """

    bot: str
    kind: str
    faults: int
    unplayed: int
    by: str = ""
    why: str = ""
    annulled: int = 0

    @property
    def sentence(self) -> str:
        """The withdrawal as a sentence: `crash was withdrawn after its 6th fault: 34 games not played`."""
        missed = f"{counted(self.unplayed, 'game')} not played"
        if self.by:
            annulled = f", {counted(self.annulled, 'deal set')} annulled" if self.annulled else ""
            return f"{self.bot} was withdrawn by {self.by} ({self.why}): {missed}{annulled}"
        if self.kind == NEVER_STARTED and self.faults <= 1:
            return f"{self.bot} never started and was withdrawn: {missed}"
        after = f" after its {ordinal(self.faults)} fault" if self.faults else ""
        return f"{self.bot} was withdrawn{after}: {missed}"


def ordinal(number: int) -> str:
    """Return `1st`, `2nd`, `3rd`, `4th`, `11th`."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


FEW = 3
"""The most withdrawals to describe if there is little room; the others are only counted."""


def withdrawal_lines(withdrawals: Iterable[Withdrawal], most: int | None = None) -> list[str]:
    """Return a sentence for each of at most `most` withdrawals. A last line counts the others."""
    sentences = [one.sentence for one in withdrawals]
    if most is None or len(sentences) <= most:
        return sentences
    more = counted(len(sentences) - most, "more bot")
    return [*sentences[:most], f"{more} were withdrawn"]
