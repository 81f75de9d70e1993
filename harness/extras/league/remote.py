"""Remote bots of a league, which are invited once for a season and admitted to each epoch.

The main process (`epoch_loop`) opens one listener for all epochs, and each process of an epoch inherits it. A bot that
is not connected when an epoch begins is left out. When it reconnects, it plays in the next one.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bowerbird.harness.extras.league.errors import LeagueError
from bowerbird.harness.extras.league.snapshots import folder_of
from bowerbird.harness.records.quoting import quote, toml_text
from bowerbird.harness.records.text.bounded_json import load_json
from bowerbird.harness.records.values.game_record import REMOTE
from bowerbird.harness.records.values.league import PLAYING, LeagueBot
from bowerbird.harness.tournament.preparation.hosting import (
    Hosting,
    InvitationFile,
    Season,
    address_of,
    season_certificate,
    write_invitations,
)
from bowerbird.harness.tournament.preparation.private_file import write_private
from bowerbird.harness.tournament.preparation.season_tokens import SeasonTokens


@dataclass(frozen=True, slots=True)
class Listening:
    """Where a league listens for remote bots.

    names: the names that they connect to; invitations have the first.
    wait_s: how long an epoch waits for those that played in the last one, in seconds.
    """

    listener: socket.socket
    names: tuple[str, ...]
    wait_s: float

    @property
    def address(self) -> str:
        """The address in invitations."""
        return address_of(self.names[0], self.listener)


def keep_address(listening: Listening, database: Path, league: str) -> None:
    """Store the address where the league listens, so that other processes can write invitations. Raises OSError."""
    kept = {"names": listening.names, "address": listening.address}
    write_private(_address_file(database, league), f"{json.dumps(kept)}\n")


def hosting_of(
    listening: Listening, database: Path, league: str, season: int, on_outsider: Callable[[str], None]
) -> Hosting:
    """Return how the run of an epoch admits remote bots.

    on_outsider: called with the name of a bot that connects but plays in other epochs of the season.

    Raises HostingError if the certificate of the league cannot be read or is not valid for its names.
    """
    return Hosting(
        listener=listening.listener.dup(),
        certificate=season_certificate(listening.names, _private(database, league)),
        address=listening.address,
        wait_s=listening.wait_s,
        folder=_invitations(database, league, season),
        announce=lambda _invitations, _trust, _commitment: None,
        season=Season(_tokens(database, league, season), on_outsider=on_outsider),
    )


def remote_bot(name: str, author: str, variants: Sequence[str], tables: int, since: int) -> LeagueBot:
    """Return the entrant of an invited remote bot; `since` is its first epoch."""
    lines = (
        "remote = true",
        f"name = {quote(name)}",
        f"author = {quote(author)}",
        f"variants = {toml_text(tuple(variants))}",
        f"tables = {tables}",
    )
    return LeagueBot(
        name=name,
        bot=name,
        number=1,
        version="",
        author=author,
        fingerprint=REMOTE,
        status=PLAYING,
        why="",
        since=since,
        entry="\n".join(lines),
    )


def invitation(database: Path, league: str, season: int, bot: str) -> InvitationFile:
    """Write the invitation of a remote bot, with its existing tokens or new ones, and return it.

    Raises LeagueError if the league has never listened, HostingError, OSError.
    """
    try:
        kept = load_json(_address_file(database, league).read_text(encoding="utf-8"))
        names, address = tuple(map(str, kept["names"])), str(kept["address"])
    except FileNotFoundError:
        raise LeagueError(
            f"league {league!r} does not listen for remote bots: start it with bowerbird league FILE --listen"
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise LeagueError(f"{_address_file(database, league)} is damaged; restart the league") from error
    folder = _invitations(database, league, season)
    certificate = season_certificate(names, _private(database, league))
    tokens = {bot: _tokens(database, league, season).invite(bot)}
    [written] = write_invitations(folder, tokens, address, certificate, for_season=True)
    return written


def revoke(database: Path, league: str, season: int, bot: str) -> None:
    """Revoke the tokens of a bot, also for the epoch that is being played."""
    _tokens(database, league, season).revoke(bot)


def _tokens(database: Path, league: str, season: int) -> SeasonTokens:
    earlier = [_tokens(database, league, number) for number in range(1, season)]
    return SeasonTokens(_private(database, league) / f"season-{season}", earlier)


def _private(database: Path, league: str) -> Path:
    return folder_of(database, league) / "private"


def _invitations(database: Path, league: str, season: int) -> Path:
    return folder_of(database, league) / f"invitations-{season}"


def _address_file(database: Path, league: str) -> Path:
    return _private(database, league) / "address.json"
