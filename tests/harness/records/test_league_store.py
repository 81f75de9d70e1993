"""What the store keeps of a league, and that no change to it is lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.league import changing
from bowerbird.harness.records.store.sidecar import LeagueLock
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.league import PLAYING, SUSPENDED, Epoch
from tests.support.league import league, league_bot

FIRST = Epoch(1, "0123456789", "2026-11-26T12:00:00", None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a database with the league `autumn`."""
    made = tmp_path / "x.db"
    Store.create(made).close()
    with changing(made, "autumn") as change:
        change.put_league(league())
    return made


def test_what_is_stored_is_read_again(path: Path) -> None:
    with changing(path, "autumn") as change:
        change.put_bot(league_bot("ada"))
        change.put_bot(league_bot("ada-2", "ada", 2))
        change.put_epoch(FIRST)
        change.tell("ada enters", "ada")
        inside = change.known
    with Store.open(path) as store:
        found = store.season("autumn")
        events = store.league_events("autumn", 5)
        assert [one.name for one in store.leagues()] == ["autumn"]
        assert store.season("winter") is None
        assert store.league_events("autumn", 5, bot="bob") == []
    assert found == inside
    assert found is not None
    assert found.open_epoch == FIRST
    assert found.newest("ada") == league_bot("ada-2", "ada", 2)
    assert [(event.number, event.epoch, event.bot, event.what) for event in events] == [(1, 1, "ada", "ada enters")]


def test_a_bot_that_is_stored_again_keeps_its_place(path: Path) -> None:
    with changing(path, "autumn") as change:
        change.put_bot(league_bot("bob"))
        change.put_bot(league_bot("ada"))
        change.put_bot(replace(league_bot("bob"), status=SUSPENDED, why="it faulted"))
        assert [(bot.name, bot.status) for bot in change.known.bots] == [("bob", SUSPENDED), ("ada", PLAYING)]


def test_a_season_holds_its_own_bots_and_epochs(path: Path) -> None:
    with changing(path, "autumn") as change:
        change.put_bot(league_bot("ada"))
        change.put_epoch(FIRST)
        change.put_league(league(season=2))
        change.put_bot(league_bot("bob"))
    with Store.open(path) as store:
        first, second = store.season("autumn", 1), store.season("autumn")
    assert first is not None
    assert second is not None
    assert ([bot.name for bot in first.bots], first.last_number) == (["ada"], 1)
    assert ([bot.name for bot in second.bots], second.last_number) == (["bob"], 0)


def test_a_change_that_fails_leaves_nothing(path: Path) -> None:
    def change_and_fail() -> None:
        with changing(path, "autumn") as change:
            change.put_bot(league_bot("ada"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        change_and_fail()
    with Store.open(path) as store:
        season = store.season("autumn")
    assert season is not None
    assert season.bots == ()


def test_changes_at_the_same_time_wait_for_one_another(path: Path) -> None:
    def tell(number: int) -> None:
        with changing(path, "autumn") as change:
            change.tell(f"event {number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(tell, range(24)))
    with Store.open(path) as store:
        events = store.league_events("autumn", 100)
    assert [event.number for event in events] == list(range(24, 0, -1))
    assert {event.what for event in events} == {f"event {number}" for number in range(24)}


def test_an_epoch_without_a_run_can_be_forgotten(path: Path) -> None:
    with changing(path, "autumn") as change:
        change.put_epoch(FIRST)
        change.drop_epoch(1)
        assert change.known.epochs == ()


def test_a_status_that_does_not_exist_is_refused(path: Path) -> None:
    with pytest.raises(StoreError), changing(path, "autumn") as change:
        change.put_bot(league_bot("ada", status="asleep"))


def test_one_process_keeps_a_league_going(path: Path) -> None:
    with LeagueLock(path, "autumn"):
        with pytest.raises(StoreError, match=r"league 'autumn' is being run by another process \(pid \d+\)"):
            LeagueLock(path, "autumn")
        with LeagueLock(path, "winter"):
            pass
    LeagueLock(path, "autumn").close()


def test_the_space_that_is_free_does_not_count(path: Path) -> None:
    with Store.open(path) as store:
        used = store.used_bytes()
    assert 0 < used <= path.stat().st_size
