"""A bot that behaves as its first argument says, right or wrong. It talks gRPC by itself, without the SDK.

    hostile_bot.py MODE [AT] [--every] [--events] [--gzip]

MODE is one of these:

- a way to play (plain_player.PLAIN, hostile_acts.MANNERS);
- a misbehaviour (hostile_acts.ACTS) at decision AT, counted from 0 over all its tables; with --every also at each later
  decision;
- a bad start (hostile_starts.STARTS).

An honest decision depends only on its number: the n-th at a table is the n-th legal action, counted round and round.
Mode `once` plays in its first process and exits at once in later ones. The first process makes the folder named by the
environment's ONCE. Mode `exits-for-good` does the same, and its first process also exits in mid-game. If the
environment names SPY_FOLDER, every byte received goes into a file there, one for each process.

Modes of plain_player.PLAIN without other arguments or SPY_FOLDER load no gRPC: most bots of the tests play on and do
nothing else.
"""

from __future__ import annotations

import os
import sys

sys.path.append(os.path.abspath(f"{__file__}/../../../.."))  # a bot is started as a file, from any folder
from tests.support.bots.plain_player import PLAIN, play


def main() -> None:
    match sys.argv[1:]:
        case [mode, *events] if mode in PLAIN and events in ([], ["--events"]) and "SPY_FOLDER" not in os.environ:
            play(mode, wants_events=bool(events))
        case _:
            from tests.support.bots import hostile_player

            hostile_player.main()


if __name__ == "__main__":
    main()
