"""The seeds that the rest of a corrected run is dealt from (faults.md, Corrections)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bowerbird.harness.records.values.corrections import THE_RUN, Correction, last_corrections
from bowerbird.harness.records.values.run import SetKey, deal_seed


@dataclass(frozen=True, slots=True)
class DealSeed:
    """What packs are dealt from: the seed of a correction (`values.corrections`), or of the run.

    correction: the number of the correction; THE_RUN for the run itself.
    commitment: to its secret seed.
    seed: of the deals, 32 bytes; secret.
    """

    correction: int
    commitment: str
    seed: bytes = field(repr=False)


class DealSeeds:
    """Says for each deal set that is still to be played from which seed it is dealt.

    That is the seed of the last correction that names it, or of the run. Where this seed is published already, it is
    that of the newest correction whose seed is secret: nobody may know cards before they are played. So a round that is
    paired again after a correction is dealt from the correction's seed, too.
    """

    def __init__(
        self, corrections: Sequence[Correction], secrets: Mapping[int, bytes], beacon: str | None, *, is_published: bool
    ) -> None:
        """Take the corrections of a run, their seeds by number (also published ones), and the run's beacon.

        is_published: whether the seed of the run itself is published.
        """
        self._named = last_corrections(corrections)
        self._seeds = {
            one.number: DealSeed(one.number, one.commitment, deal_seed(secrets[one.number], beacon))
            for one in corrections
            if one.number in secrets
        }
        self._open = {one.number for one in corrections if one.seed is not None}
        if is_published:
            self._open.add(THE_RUN)
        self._newest_secret = max((number for number in self._seeds if number not in self._open), default=THE_RUN)

    def number(self, key: SetKey) -> int:
        """Return the number of the correction from whose seed a deal set is dealt; THE_RUN for the run's own."""
        named = self._named.get(key, THE_RUN)
        return max(named, self._newest_secret) if named in self._open else named

    def of(self, key: SetKey) -> DealSeed | None:
        """Return the seed of a deal set; None for the run's own."""
        return self._seeds.get(self.number(key))
