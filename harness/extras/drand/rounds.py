"""Rounds of drand, a public source of random values: when each comes, and how a run names it (notation.md, Beacons).

A run names its round before the round comes, as in `beacon_source = "drand quicknet 12345"`. Its beacon consists of the
round's number and signature.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

DRAND = "drand"
"""The first word of a source that is a round of drand."""

_NAMED = "quicknet"
_SOURCE = re.compile(r"drand (?:quicknet|([0-9a-f]{192}) ([0-9]{1,11}) ([1-9][0-9]{0,6})) ([1-9][0-9]{0,17})")
_VALUE = re.compile(r"([1-9][0-9]{0,17}) ([0-9a-f]{96})")

_LAST_MOMENT = int(datetime(9999, 1, 1, tzinfo=UTC).timestamp())
"""No round may come later than this, so that every time can be written as a date."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A drand chain with the scheme bls-unchained-g1-rfc9380.

    public_key: 192 hex digits in lower case, a compressed point of G2.
    genesis: when round 1 came, in seconds of Unix time.
    period: the time between two rounds, in seconds.
    """

    public_key: str
    genesis: int
    period: int

    def moment(self, number: int) -> int:
        """Return when a round comes, in seconds of Unix time."""
        return self.genesis + (number - 1) * self.period

    def first_from(self, moment: float) -> int:
        """Return the number of the first round that comes at or after `moment`, in seconds of Unix time."""
        return max(1, math.ceil((moment - self.genesis) / self.period) + 1)


QUICKNET = Chain(
    public_key=(
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
        "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    ),
    genesis=1_692_803_367,
    period=3,
)
"""The public chain of the League of Entropy. Its hash is 52db9ba7…e971 (`harness.extras.drand.addresses`)."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round of a chain. `str` is the source that a run names."""

    chain: Chain
    number: int

    def __str__(self) -> str:
        """Return the source, such as "drand quicknet 12345". Other chains are named by key, genesis and period."""
        return f"{DRAND} {self._chain} {self.number}"

    @property
    def _chain(self) -> str:
        chain = self.chain
        return _NAMED if chain == QUICKNET else f"{chain.public_key} {chain.genesis} {chain.period}"

    @property
    def title(self) -> str:
        """The round in words for people."""
        chain = self.chain
        named = f"{DRAND} {_NAMED}" if chain == QUICKNET else f"the {DRAND} chain {chain.public_key[:8]}…"
        return f"round {self.number} of {named}"

    @property
    def moment(self) -> int:
        """When the round comes, in seconds of Unix time."""
        return self.chain.moment(self.number)

    @property
    def at(self) -> str:
        """When the round comes, for people."""
        return f"{datetime.fromtimestamp(self.moment, UTC):%Y-%m-%d %H:%M:%S} UTC"

    def comes_after(self, stored: str) -> bool:
        """Return whether the round comes after a stored time (UTC, ISO 8601)."""
        moment = datetime.fromisoformat(stored)
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() < self.moment

    def beacon(self, signature: str) -> str:
        """Return the beacon of this round: its number and its signature, 96 hex digits in lower case."""
        return f"{self.number} {signature}"

    def signature_of(self, beacon: str) -> str | None:
        """Return the signature in a beacon, or None if it is not a beacon of this round."""
        match = _VALUE.fullmatch(beacon)
        return match[2] if match is not None and int(match[1]) == self.number else None


def is_drand(source: str) -> bool:
    """Return whether a source claims to be a round of drand."""
    return source.split(maxsplit=1)[:1] == [DRAND]


def read_round(source: str) -> Round:
    """Parse a source that `is_drand`, in the form of `str`. Raises ValueError with a sentence for people."""
    match = _SOURCE.fullmatch(source)
    if match is not None:
        key, genesis, period, number = match.groups()
        chain = QUICKNET if key is None else Chain(key, int(genesis), int(period))
        found = Round(chain, int(number))
        if found.moment < _LAST_MOMENT and str(found) == source:
            return found
    raise ValueError('must be a round of drand: "drand quicknet" and its number')


QUICKNET_ADDRESSES = tuple(
    f"https://{host}/52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
    for host in ("api.drand.sh", "api2.drand.sh", "api3.drand.sh", "drand.cloudflare.com")
)
"""The addresses of the public chain quicknet. Each ends with the chain's hash."""

_ADDRESS = re.compile(r"https?://[!-~]+")


def is_address(text: str) -> bool:
    """Return whether a string is the address of a chain, to which `/public/ROUND` is added."""
    if not _ADDRESS.fullmatch(text):
        return False
    try:
        url = urlsplit(text)
        return bool(url.hostname) and url.port != 0 and not (url.query or url.fragment or "@" in url.netloc)
    except ValueError:
        return False
