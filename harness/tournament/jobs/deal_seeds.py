"""The seeds from which the rest of a corrected run is dealt (faults.md, Corrections)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bowerbird.harness.records.values.corrections import THE_RUN, Correction, last_corrections
from bowerbird.harness.records.values.run import SetKey, deal_seed


@dataclass(frozen=True, slots=True)
class DealSeed:
    """The seed that packs are dealt from: that of a correction (`values.corrections`), or the run's own.

    correction: the number of the correction; THE_RUN for the run itself.
    commitment: to its secret seed.
    seed: of the deals, 32 bytes; secret.
    """

    correction: int
    commitment: str
    seed: bytes = field(repr=False)


class DealSeeds:
    """Knows the seed of each deal set that is still to be played.

    A deal set uses the seed of the last correction that names it, or else of the run. If that seed is already
    published, it uses the seed of the newest correction whose seed is still secret, since nobody may know cards before
    they are played. So a round that is paired again after a correction is dealt from the correction's seed, too.
    """

    def __init__(
        self, corrections: Sequence[Correction], secrets: Mapping[int, bytes], beacon: str | None, *, is_published: bool
    ) -> None:
        """Take the corrections of a run, their seeds by number (published ones included), and the run's beacon.

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
        """Return the number of the correction whose seed a deal set is dealt from; THE_RUN for the run's own seed."""
        named = self._named.get(key, THE_RUN)
        return max(named, self._newest_secret) if named in self._open else named

    def of(self, key: SetKey) -> DealSeed | None:
        """Return the seed of a deal set; None for the run's own."""
        return self._seeds.get(self.number(key))
