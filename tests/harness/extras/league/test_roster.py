"""Who plays in the next epoch: newcomers, new versions, who leaves, who is suspended."""

from __future__ import annotations

from dataclasses import replace

from bowerbird.harness.extras.league.roster import (
    NOT_LISTED,
    VERSIONS,
    Faults,
    entered_sentence,
    entrant,
    entries,
    listing_changes,
    players,
    suspensions,
    unchanged_versions,
    version_changes,
)
from bowerbird.harness.records.values.game_record import REMOTE
from bowerbird.harness.records.values.league import PLAYING, RETIRED, SUSPENDED, WITHDRAWN
from bowerbird.harness.records.values.run import LONGEST_NAME, wrong_name
from tests.support.league import league_bot, season, spec


def test_a_bot_that_is_listed_for_the_first_time_enters_under_its_name() -> None:
    [entry] = entries(season(league_bot("bob")), [spec("ada"), spec("bob")])
    assert (entry.name, entry.number) == ("ada", 1)
    bot = entrant(entry, 'path = "x"', since=3)
    assert (bot.bot, bot.status, bot.since, bot.version) == ("ada", PLAYING, 3, "1")
    assert entered_sentence(bot) == "ada enters, version 1"


def test_another_version_is_an_entrant_of_its_own() -> None:
    known = season(league_bot("ada"), league_bot("ada-2", "ada", 2, "2"))
    [entry] = entries(known, [spec("ada", "3")])
    assert (entry.name, entry.number) == ("ada-3", 3)
    assert "ada in its version 3" in entered_sentence(entrant(entry, "", 1))


def test_files_that_changed_under_the_same_version_do_not_enter() -> None:
    known = season(league_bot("ada"))
    changed = [spec("ada", "1", "sha256:other")]
    assert list(entries(known, changed)) == []
    assert [bot.name for bot in unchanged_versions(known, changed)] == ["ada"]
    assert list(unchanged_versions(known, [spec("ada")])) == []


def test_a_version_gets_no_name_that_another_bot_has() -> None:
    known = season(league_bot("ada"), league_bot("ada-2"))
    [entry] = entries(known, [spec("ada", "2"), spec("ada-2")])
    assert entry.name not in ("ada", "ada-2")
    assert not wrong_name(entry.name)


def test_the_name_of_a_version_is_never_too_long() -> None:
    long = "a" * LONGEST_NAME
    [entry] = entries(season(league_bot(long)), [spec(long, "2")])
    assert entry.name == f"{'a' * (LONGEST_NAME - 2)}-2"


def test_a_bot_that_is_no_longer_listed_leaves_and_may_come_back() -> None:
    known = season(league_bot("ada"), league_bot("bob", status=SUSPENDED), league_bot("eve", status=RETIRED))
    left = list(listing_changes(known, []))
    assert [(one.bot.name, one.bot.status, one.bot.why) for one in left] == [
        ("ada", WITHDRAWN, NOT_LISTED),
        ("bob", WITHDRAWN, NOT_LISTED),
    ]
    [back] = listing_changes(season(left[0].bot), [spec("ada")])
    assert (back.bot.status, back.bot.why, back.what) == (PLAYING, "", "ada is back")


def test_a_bot_that_the_organiser_took_out_stays_out_while_it_is_listed() -> None:
    taken_out = replace(league_bot("ada", status=WITHDRAWN), why="the organiser took it out")
    assert list(listing_changes(season(taken_out), [spec("ada")])) == []


def test_a_remote_bot_is_never_listed_and_does_not_leave_for_that() -> None:
    remote = replace(league_bot("ada"), fingerprint=REMOTE)
    assert list(listing_changes(season(remote), [])) == []


def test_the_oldest_of_too_many_versions_retires() -> None:
    known = season(league_bot("ada"), league_bot("ada-2", "ada", 2), league_bot("ada-3", "ada", 3), league_bot("bob"))
    [change] = version_changes(known)
    assert (change.bot.name, change.bot.status) == ("ada", RETIRED)
    assert VERSIONS == 2
    assert "ada-3 and ada-2 are newer" in change.what


def test_a_new_version_takes_the_place_of_a_suspended_one() -> None:
    known = season(league_bot("ada", status=SUSPENDED), league_bot("ada-2", "ada", 2))
    [change] = version_changes(known)
    assert (change.bot.name, change.bot.status) == ("ada", RETIRED)
    assert list(version_changes(season(league_bot("ada", status=SUSPENDED)))) == []


def test_only_playing_bots_enter_an_epoch() -> None:
    known = season(league_bot("ada"), league_bot("bob", status=SUSPENDED), league_bot("eve"))
    assert [bot.name for bot in players(known)] == ["ada", "eve"]


def test_a_bot_that_faults_in_too_many_games_is_suspended() -> None:
    known = season(league_bot("ada"), league_bot("bob"), league_bot("eve"))
    faults = {"ada": Faults(100, 11), "bob": Faults(100, 10), "eve": Faults(9, 9)}
    [change] = suspensions(known, faults, share=0.1)
    assert (change.bot.name, change.bot.status) == ("ada", SUSPENDED)
    assert change.bot.why == "it faulted in 11 of its 100 games"


def test_a_bot_that_was_withdrawn_from_the_epoch_is_suspended() -> None:
    [change] = suspensions(season(league_bot("ada")), {"ada": Faults(3, 3, "CRASH: exit status 1")}, share=0.9)
    assert change.bot.why == "it was withdrawn from the epoch: CRASH: exit status 1"
