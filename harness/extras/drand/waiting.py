"""Waits for a round of drand for as long as it takes, and makes a beacon of it.

There is no fallback: an organiser who could choose between a round and something else could choose the cards.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from bowerbird.harness.extras.drand.fetching import NoRoundError, fetch_signature
from bowerbird.harness.extras.drand.rounds import Round

FIRST_WAIT_S, LONGEST_WAIT_S = 2.0, 60.0
"""The waits between attempts, which double up to the longest."""

LOOK_S = 1.0
"""The longest single sleep, so that a correction of the clock is noticed."""


def awaited_beacon(
    round_: Round,
    addresses: Callable[[], Sequence[str]],
    say: Callable[[str], None],
    *,
    fetch: Callable[[Round, str], str] = fetch_signature,
    sleep: Callable[[float], None] = time.sleep,
    now: Callable[[], float] = time.time,
) -> str:
    """Wait for a round, and return its beacon.

    addresses: returns the addresses of its chain; called before each attempt.
    say: called with a sentence after each attempt in which no address returned the round.
    fetch: returns the signature of the round from an address, or raises NoRoundError.
    sleep, now: the clock, in seconds of Unix time.

    Returns only a round whose signature is right. Raises KeyboardInterrupt after Ctrl-C.
    """
    _sleep_until(round_.moment, sleep, now)
    wait_s = FIRST_WAIT_S
    while True:
        failures = []
        for address in addresses():
            try:
                return round_.beacon(fetch(round_, address))
            except NoRoundError as error:
                failures.append(f"{urlsplit(address).netloc}: {error}")
        say(f"{round_.title} is not available yet; asking again ({'; '.join(failures)})")
        _rest(wait_s, sleep)
        wait_s = min(2 * wait_s, LONGEST_WAIT_S)


def _sleep_until(moment: float, sleep: Callable[[float], None], now: Callable[[], float]) -> None:
    while (left := moment - now()) > 0:
        sleep(min(left, LOOK_S))


def _rest(left: float, sleep: Callable[[float], None]) -> None:
    while left > 0:
        sleep(min(left, LOOK_S))
        left -= LOOK_S
