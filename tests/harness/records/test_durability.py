"""Acknowledged data are never lost: a real writer is killed in the middle of its work (faults.md, Durability)."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.store.writer import RunWriter
from bowerbird.harness.records.values.run import ResultsDigest
from bowerbird.harness.records.verify.verification import verify_run
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT
from tests.support.records.every_game import every_game
from tests.support.records.played_games import SEED, database, deal_set, header

WRITER = """
import sys
from pathlib import Path
from tests.support.records.played_games import SEED, deal_set, header
from bowerbird.harness.records.values.run import ResultsDigest
from bowerbird.harness.records.store.store import Store

sets = [deal_set("euchre", number, header()) for number in range(6)]
with Store.create(Path(sys.argv[1])) as store, store.begin(header(), SEED) as writer:
    print("ready", flush=True)
    for number, (key, games) in enumerate(sets):
        writer.save_set(key, games, ResultsDigest(f"after {number}", number + 1))
        print(number, flush=True)
    sys.stdin.read()
"""


def start_writer(path: Path) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


def acknowledged_until(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdout is not None
    for said in process.stdout:
        if said.strip() == line:
            return
    pytest.fail(f"the writer ended before it said {line!r}")


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("last", ["ready", "0", "2", "5"])
def test_kill_9_of_the_writer_loses_nothing_that_was_acknowledged(tmp_path: Path, last: str) -> None:
    path = database(tmp_path)
    with start_writer(path) as process:
        acknowledged_until(process, last)
        process.send_signal(signal.SIGKILL)
        assert process.stdout is not None
        more = process.stdout.read().split()
    acknowledged = int(more[-1] if more else last) + 1 if (more or last != "ready") else 0
    with Store.open(path) as store:
        run = header().fingerprint
        keys = sorted(store[run].stored_sets())
        assert acknowledged <= len(keys) <= acknowledged + 1, "at most one set was under way"
        assert [key.number for key in keys] == list(range(len(keys)))
        assert len(store[run].games()) == 2 * len(keys), "each set is whole"
        ratings = store[run].ratings()
        assert ratings is None if not keys else ratings is not None and ratings.sets == len(keys)
        assert verify_run(store[run]) == []
        assert store[run].secret_seed() == SEED, "the run can be resumed"
        with store.begin(header(), SEED) as writer:
            key, games = deal_set("euchre", 6, header())
            assert writer.save_set(key, games, ResultsDigest("", 0)), "the lock died with its holder"


@pytest.mark.usefixtures("processes")
def test_a_second_process_is_refused_while_the_first_one_lives(tmp_path: Path) -> None:
    path = database(tmp_path)
    with start_writer(path) as process:
        acknowledged_until(process, "5")
        with Store.open(path) as store:
            with pytest.raises(StoreError, match=f"pid {process.pid}"):
                store.begin(header(), SEED)
            assert len(every_game(store)) == 12, "reading is never blocked"
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=DEADLINE_S) == 0
    with Store.open(path) as store, store.begin(header(), SEED):
        pass


def save_many(writer: RunWriter, numbers: range) -> None:
    for number in numbers:
        key, games = deal_set("euchre", number, header())
        writer.save_set(key, games, ResultsDigest("", 0))


def test_a_disk_that_is_full_loses_nothing(tmp_path: Path) -> None:
    """faults.md row 23: an error at commit is reported and the store stays whole."""
    with Store.create(database(tmp_path)) as store:
        with store.begin(header(), SEED) as writer:
            key, games = deal_set("euchre", 0, header())
            writer.save_set(key, games, ResultsDigest("", 0))
            pages = next(iter(writer._database.execute("PRAGMA page_count")))[0]
            writer._database.execute(f"PRAGMA max_page_count = {pages}")
            with pytest.raises(StoreError, match=r"disk is full.*untouched"):
                save_many(writer, range(1, 30))
            kept = len(store[header().fingerprint].stored_sets())
            writer._database.execute("PRAGMA max_page_count = 1000000")
            save_many(writer, range(1, 30))  # it continues once there is room
            assert 1 <= kept < len(store[header().fingerprint].stored_sets()) == 30
        assert verify_run(store[header().fingerprint]) == []


def test_the_order_of_finishing_does_not_matter(tmp_path: Path) -> None:
    sets = [deal_set("euchre", number, header()) for number in range(3)]
    random.Random(1).shuffle(sets)
    with Store.create(database(tmp_path)) as store:
        with store.begin(header(), SEED) as writer:
            for key, games in sets:
                writer.save_set(key, games, ResultsDigest("", 0))
        assert [result.id.set_number for result in store[header().fingerprint].results()] == [0, 0, 1, 1, 2, 2]
