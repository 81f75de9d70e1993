"""The tokens of a season: drawn once, kept in a private file, revoked for good."""

from __future__ import annotations

import hmac
from pathlib import Path

import pytest

from bowerbird.harness.referee.remote.admission import FoundToken
from bowerbird.harness.tournament.errors import HostingError
from bowerbird.harness.tournament.preparation.season_tokens import TOKENS, SeasonTokens

REVOKED = "the invitation of bot ada was revoked; ask the organiser for a new one"


def test_tokens_of_an_earlier_season_say_that_it_has_ended(tmp_path: Path) -> None:
    earlier = SeasonTokens(tmp_path / "season-1")
    tokens = SeasonTokens(tmp_path / "season-2", [earlier])
    [old, *_] = earlier.invite("ada")
    [new, *_] = tokens.invite("ada")
    assert tokens.find(new) == FoundToken("ada")
    found = tokens.find(old)
    assert found is not None
    assert found.refusal == "the season of this invitation has ended; ask the organiser for a new one"
    assert old not in tokens.tokens("ada")


def test_a_bot_is_invited_once(tmp_path: Path) -> None:
    tokens = SeasonTokens(tmp_path)
    drawn = tokens.invite("ada")
    assert len(set(drawn)) == TOKENS
    assert tokens.invite("ada") == drawn
    assert SeasonTokens(tmp_path).tokens("ada") == drawn, "after a restart of the league"
    assert not set(tokens.invite("grace")) & set(drawn)


def test_a_bot_that_was_never_invited_has_no_token(tmp_path: Path) -> None:
    assert SeasonTokens(tmp_path).tokens("ada") == ()
    assert not list(tmp_path.iterdir()), "reading writes nothing"


def test_revoked_tokens_are_known_as_revoked_for_good(tmp_path: Path) -> None:
    tokens = SeasonTokens(tmp_path)
    old = tokens.invite("ada")
    assert tokens.revoke("ada")
    assert not tokens.revoke("ada"), "there is nothing left to revoke"
    assert tokens.tokens("ada") == ()
    new = tokens.invite("ada")
    assert not set(new) & set(old)
    assert tokens.find(old[0]) == FoundToken("ada", REVOKED)
    assert tokens.find(new[-1]) == FoundToken("ada")
    assert tokens.find("guess") is None


def test_another_process_sees_a_change_at_once(tmp_path: Path) -> None:
    league, run = SeasonTokens(tmp_path), SeasonTokens(tmp_path)
    [token, *_] = league.invite("ada")
    assert run.find(token) == FoundToken("ada")
    league.revoke("ada")
    assert run.find(token) == FoundToken("ada", REVOKED)


def test_every_token_is_compared_in_constant_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = SeasonTokens(tmp_path)
    known = {*tokens.invite("ada"), *tokens.invite("grace")}
    tokens.revoke("grace")
    compared: set[str] = set()

    def compare(known: bytes, token: bytes) -> bool:
        compared.add(known.decode())
        return known == token

    monkeypatch.setattr(hmac, "compare_digest", compare)
    tokens.find(next(iter(known)))
    assert compared == known


def test_a_token_of_any_characters_is_no_error(tmp_path: Path) -> None:
    tokens = SeasonTokens(tmp_path)
    tokens.invite("ada")
    assert tokens.find("ä\0") is None


def test_the_file_is_for_its_owner_alone_and_replaced_as_a_whole(tmp_path: Path) -> None:
    tokens = SeasonTokens(tmp_path / "season")
    tokens.invite("ada")
    first = tokens.path.stat()
    assert first.st_mode & 0o777 == 0o600
    assert tokens.path.parent.stat().st_mode & 0o777 == 0o700
    tokens.invite("grace")
    assert tokens.path.stat().st_ino != first.st_ino
    assert [file.name for file in tokens.path.parent.iterdir()] == [tokens.path.name]


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"version": 1, "bots": {"ada": 3}}', '{"version": 2, "bots": {}}'])
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    tokens = SeasonTokens(tmp_path)
    tokens.path.write_text(text)
    with pytest.raises(HostingError, match=r"tokens\.json: (not a file of season tokens|got version 2)"):
        tokens.tokens("ada")
