"""Plays 10,000 games of all variants, exports, imports, verifies and re-exports them, and prints sizes and times.

In every fourth deal set each game has a fault with its story; forfeit and substitute alternate.

No test suite runs it; `test_archive.py` does the same with fewer games. The exit code is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from bowerbird.engine import variant_names
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.archive.archive import open_archive, write_archive
from bowerbird.harness.records.archive.merge import merge_run
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.verify.verification import verify_run
from tests.support.records.played_games import header, set_specs
from tests.support.records.stored_runs import store_run

FAULTY = 4
"""Every fourth deal set has faults."""


def main() -> None:
    """Play, export, import, verify and re-export; print sizes and times. Exit with code 1 if anything differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--games", type=int, default=10_000, help="play at least this many (%(default)s)")
    games = parser.parse_args().games
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        here, there, first, again = (folder / file for file in ("here.db", "there.db", "1.tar.gz", "2.tar.gz"))
        clock = _Clock()
        sets = range(-(-games // games_a_set()))
        run = store_run(here, sets=sets, faulty=sets[::FAULTY])
        with Store.open(here) as store:
            ids = store[run].game_ids()
            texts = {game: store.record_text(game) for game in ids}
            stories = {game: store.stories(game) for game in ids}
            told = store[run].story_count()
        size = sum(map(len, texts.values()))
        clock.say(f"played and stored: {len(ids)} games, {size:,} bytes of records, {told} stories of faults")
        with Store.open(here) as store:
            write_archive(store[run], first)
        clock.say(f"exported: {first.stat().st_size:,} bytes")
        with Store.create(there) as store, open_archive(first) as archive:
            merged = merge_run(store, archive, digest_of)
        clock.say(f"imported: {merged.new} games, each played by the engine, and {merged.stories} stories")
        with Store.open(there) as store:
            differences = verify_run(store[run], digest_of)
            same = all(store.record_text(game) == text for game, text in texts.items())
            same = same and all(store.stories(game) == known for game, known in stories.items())
            write_archive(store[run], again)
        clock.say(f"verified: {len(differences)} differences, records and stories {'equal' if same else 'NOT equal'}")
        equal = first.read_bytes() == again.read_bytes()
        print(f"exported again: {'the same bytes' if equal else 'OTHER bytes'}")
    sys.exit(0 if same and equal and not differences and merged.new == len(ids) >= games else 1)


def games_a_set() -> int:
    """Return the number of games in one deal set of every variant together."""
    return sum(len(set_specs(variant, 0, header())) for variant in variant_names())


class _Clock:
    """A timer that prints the seconds of each step."""

    def __init__(self) -> None:
        self.since = time.monotonic()

    def say(self, text: str) -> None:
        now = time.monotonic()
        print(f"{now - self.since:7.1f} s  {text}", flush=True)
        self.since = now
