"""What an organiser asks of a league, in the words of the commands."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.extras.league import members
from bowerbird.harness.extras.league.accepted_file import tell
from bowerbird.harness.extras.league.errors import LeagueError
from bowerbird.harness.extras.league.remote import Listening, keep_address
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.league import changing, the_league
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_record import REMOTE
from bowerbird.harness.records.values.league import PLAYING, RETIRED, SUSPENDED, WITHDRAWN, Epoch, Season
from bowerbird.harness.tournament.preparation.hosting import listen
from bowerbird.harness.tournament.preparation.season_tokens import SeasonTokens
from tests.support.league import league, league_bot


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a database with a league of three bots."""
    made = tmp_path / "x.db"
    Store.create(made).close()
    with changing(made, "autumn") as change:
        change.put_league(league())
        change.put_bot(league_bot("ada"))
        change.put_bot(league_bot("ada-2", "ada", 2))
        change.put_bot(league_bot("bob", status=SUSPENDED))
    return made


def season(path: Path) -> Season:
    with Store.open(path) as store:
        found = store.season("autumn")
    assert found is not None
    return found


def statuses(path: Path) -> dict[str, str]:
    return {bot.name: bot.status for bot in season(path).bots}


def test_all_versions_of_a_bot_are_withdrawn_or_one(path: Path) -> None:
    assert members.withdraw(path, "autumn", "ada-2") == ["ada-2 does not play in further epochs"]
    assert statuses(path) == {"ada": PLAYING, "ada-2": WITHDRAWN, "bob": SUSPENDED}
    assert members.withdraw(path, "autumn", "ada") == ["ada does not play in further epochs"]
    with pytest.raises(LeagueError, match="does not play in this season: ada is withdrawn, ada-2 is withdrawn"):
        members.withdraw(path, "autumn", "ada")
    assert all(bot.why == members.TAKEN_OUT for bot in season(path).bots if bot.bot == "ada")


def test_the_newest_version_is_readmitted(path: Path) -> None:
    members.withdraw(path, "autumn", "ada")
    assert members.readmit(path, "autumn", "ada") == ["ada-2 plays from the next epoch on"]
    assert statuses(path) == {"ada": WITHDRAWN, "ada-2": PLAYING, "bob": SUSPENDED}
    members.readmit(path, "autumn", "bob")
    assert statuses(path)["bob"] == PLAYING


def test_who_plays_or_retired_is_not_readmitted(path: Path) -> None:
    with pytest.raises(LeagueError, match="neither withdrawn nor suspended: it is playing"):
        members.readmit(path, "autumn", "ada")
    with changing(path, "autumn") as change:
        change.put_bot(league_bot("ada-2", "ada", 2, status=RETIRED))
    with pytest.raises(LeagueError, match="it is retired"):
        members.readmit(path, "autumn", "ada")


def test_an_unknown_bot_or_league_is_named_with_the_nearest(path: Path) -> None:
    with pytest.raises(LeagueError, match="did you mean 'ada'"):
        members.withdraw(path, "autumn", "aad")
    with Store.open(path) as store:
        assert the_league(store, None) == "autumn"
        with pytest.raises(StoreError, match="did you mean 'autumn'"):
            the_league(store, "autum")
    with changing(path, "winter") as change:
        change.put_league(replace(league("winter"), file="winter.toml"))
    with Store.open(path) as store, pytest.raises(StoreError, match=r"2 leagues \(autumn, winter\)"):
        the_league(store, None)


def test_a_database_without_a_league_says_how_to_begin_one(tmp_path: Path) -> None:
    with Store.create(tmp_path / "x.db") as store, pytest.raises(StoreError, match="bowerbird league FILE"):
        the_league(store, None)


def test_a_league_pauses_and_goes_on(path: Path) -> None:
    assert members.pause(path, "autumn") == "the league pauses"
    assert season(path).league.is_paused
    with pytest.raises(LeagueError, match="already paused"):
        members.pause(path, "autumn")
    members.resume(path, "autumn")
    assert not season(path).league.is_paused
    with pytest.raises(LeagueError, match="not paused"):
        members.resume(path, "autumn")


def test_a_season_with_an_epoch_can_be_ended_once(path: Path) -> None:
    with pytest.raises(LeagueError, match="season 1 has no epoch yet"):
        members.end_season(path, "autumn")
    with changing(path, "autumn") as change:
        change.put_epoch(Epoch(1, "0123456789", "2026-11-26T12:00:00", None))
    assert "after the epoch that is being played" in members.end_season(path, "autumn")
    with pytest.raises(LeagueError, match="is already ending"):
        members.end_season(path, "autumn")


def listening(path: Path) -> None:
    with listen("127.0.0.1:0") as listener:
        keep_address(Listening(listener, ("localhost",), 1.0), path, "autumn")


def test_an_invitation_is_private_and_the_same_when_it_is_written_again(path: Path) -> None:
    listening(path)
    written = members.invite(path, "autumn", "eve", author="Eve", tables=8)
    text = written.file.read_text(encoding="utf-8")
    assert stat.S_IMODE(written.file.stat().st_mode) == 0o600
    assert "BOWERBIRD_ADDRESS=localhost:" in text
    assert members.invite(path, "autumn", "eve").file.read_text(encoding="utf-8") == text
    [bot] = [bot for bot in season(path).bots if bot.name == "eve"]
    assert (bot.status, bot.fingerprint, bot.author) == (PLAYING, REMOTE, "Eve")


def test_the_tokens_of_a_remote_bot_that_is_withdrawn_work_no_longer(path: Path) -> None:
    listening(path)
    written = members.invite(path, "autumn", "eve")
    tokens = SeasonTokens(path.parent / "leagues/autumn/private/season-1")
    [token] = {line.removeprefix("BOWERBIRD_TOKEN=") for line in written.environment if "TOKEN" in line}
    found = tokens.find(token)
    assert found is not None
    assert not found.refusal
    members.withdraw(path, "autumn", "eve")
    found = tokens.find(token)
    assert found is not None
    assert found.refusal
    with pytest.raises(LeagueError, match="invite it again with: bowerbird league invite eve"):
        members.readmit(path, "autumn", "eve")
    members.invite(path, "autumn", "eve")
    assert statuses(path)["eve"] == PLAYING


def test_a_league_that_does_not_listen_invites_nobody(path: Path) -> None:
    with pytest.raises(LeagueError, match="start it with bowerbird league FILE --listen"):
        members.invite(path, "autumn", "eve")
    assert "eve" not in statuses(path)


def test_a_name_of_a_local_bot_or_a_wrong_one_is_not_invited(path: Path) -> None:
    listening(path)
    with pytest.raises(LeagueError, match="ada plays on this machine"):
        members.invite(path, "autumn", "ada")
    with pytest.raises(LeagueError, match="a name has 1 to 40 letters"):
        members.invite(path, "autumn", "../eve")


def test_a_league_is_told_of_a_file_whose_name_is_not_utf8_once(path: Path) -> None:
    said: list[str] = []
    with Store.open(path) as store:
        for _ in range(2):
            tell(store, "autumn", "bob does not enter: bots/\udcff: no room", said.append, "bob")
        [event] = store.league_events("autumn", 5, bot="bob")
    assert event.what == "bob does not enter: bots/\ufffd: no room"
    assert said == [event.what]
