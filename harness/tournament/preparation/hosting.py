"""Lets remote bots connect: an address, a certificate, and an invitation for each bot."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from bowerbird.harness.referee.connection.participant import required_features
from bowerbird.harness.referee.remote.admission import Admission, TlsListener
from bowerbird.harness.referee.remote.certificate import (
    SEASON_VALIDITY,
    Certificate,
    CertificateError,
    load_certificate,
    self_signed,
)
from bowerbird.harness.tournament.errors import HostingError, MissingBotsError
from bowerbird.harness.tournament.plan import Plan
from bowerbird.harness.tournament.preparation.private_file import write_private
from bowerbird.harness.tournament.preparation.season_tokens import SeasonTokens

TRUST_FILE = "bowerbird.pem"
"""The certificate that remote bots trust. It is sent with each invitation."""

CERTIFICATE_FILE, KEY_FILE = "certificate.pem", "key.pem"
"""The certificate of a season and its key."""

GRACE_S = 3.0
"""How long a run of a season waits for bots known to be away."""

BACKLOG = 4096
"""How many connections may wait to be accepted.

Linux silently drops further ones, and their clients try again after 1 s.
"""

LOCAL_NAMES = ("localhost", "127.0.0.1")
"""Names in every certificate made here, so that a bot can be tested on the referee's machine."""

_LISTEN = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+):(\d{1,5})")
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class InvitationFile:
    """The invitation of one bot: environment variables as "NAME=value", and the file that contains them."""

    bot: str
    environment: tuple[str, ...]
    file: Path


def _ignore(_name: str) -> None:
    """Do nothing. This is the default of `on_outsider`."""


@dataclass(frozen=True, slots=True)
class Season:
    """A season, as seen by one of its runs.

    tokens: the tokens of all bots of the season.
    away: the names of bots known to be away. The run waits only `grace_s` seconds for them.
    on_outsider: called each time a bot of the season that is not in this run connects, with the bot's name.
    """

    tokens: SeasonTokens
    away: frozenset[str] = frozenset()
    grace_s: float = GRACE_S
    on_outsider: Callable[[str], None] = _ignore


@dataclass(frozen=True, slots=True)
class Hosting:
    """A listener for remote bots and the organiser's settings.

    listener: closed at the end of the run. A caller that plays several runs passes a duplicate (`socket.dup`) to each.
    address: "name:port", which bots connect to.
    wait_s: how long bots have to connect, in seconds.
    folder: holds a folder with the invitations of each run; in a season, the invitations to it (`write_invitations`).
    announce: called with the new invitations (none in a season), the path of the PEM file, and the commitment to the
        run's seed.
    season: set if the run is one of many for which bots are invited once; None if they are invited only to this run.
    """

    listener: socket.socket
    certificate: Certificate
    address: str
    wait_s: float
    folder: Path
    announce: Callable[[Sequence[InvitationFile], Path, str], None]
    season: Season | None = None

    def open_admission(self, plan: Plan, withdrawn: Collection[str], on_update: Callable[[str], None]) -> Admission:
        """Invite the remote bots of a plan that are not `withdrawn`. Return the admission through which they connect.

        In a season they are already invited. Raises MissingBotsError if an invitation is missing or revoked.

        on_update: called with a sentence when a bot connects or leaves.
        """
        file = plan.file
        season = self.season
        remote = [bot for bot in file.bots if bot.remote and bot.name not in withdrawn]
        if season is not None:
            _check_all_invited([bot.name for bot in remote], season.tokens)
        admission = Admission(
            remote,
            TlsListener(self.listener, self.certificate.server_context()),
            tables=file.tables,
            time=file.time,
            limits=file.limits,
            report=on_update,
            required=required_features((entry.variant, entry.options) for entry in file.variants),
            standing=season.tokens if season is not None else None,
            on_outsider=season.on_outsider if season is not None else _ignore,
        )
        folder, invitations = self.folder, []
        if season is None:
            folder /= plan.header.fingerprint
            tokens = {name: invitation.tokens for name, invitation in admission.invitations.items()}
            invitations = write_invitations(folder, tokens, self.address, self.certificate, for_season=False)
        self.announce(invitations, folder / TRUST_FILE, plan.header.commitment)
        return admission

    async def gather(self, admission: Admission) -> None:
        """Wait until every remote bot is connected. Raises MissingBotsError after `wait_s`.

        For bots that are away it waits only `Season.grace_s`. Connected bots of a season learn why the run does not
        begin.
        """
        season = self.season
        if season is None:
            missing = await admission.gather(self.wait_s)
        else:
            missing = await admission.gather(self.wait_s, season.away, season.grace_s)
        if not missing:
            return
        names = ", ".join(repr(name) for name in missing)
        if season is None:
            raise MissingBotsError(
                f"bot {names} did not dial in within {self.wait_s:g} s; nothing was played; "
                "check that they can reach this address, or wait longer with --wait",
                missing,
            )
        admission.tell(f"this run does not begin, since bot {names} is missing; reconnect with the same token")
        raise MissingBotsError(f"bot {names} did not dial in; nothing was played", missing)


def _check_all_invited(names: Sequence[str], tokens: SeasonTokens) -> None:
    """Raise MissingBotsError if any of these bots has no token."""
    missing = tuple(name for name in names if not tokens.tokens(name))
    if missing:
        shown = ", ".join(map(repr, missing))
        raise MissingBotsError(f"bot {shown} is not invited to the season; nothing was played", missing)


def write_invitations(
    folder: Path,
    tokens: Mapping[str, Sequence[str]],
    address: str,
    certificate: Certificate,
    *,
    for_season: bool,
) -> list[InvitationFile]:
    """Write the invitation of each bot in `tokens` and the accompanying PEM file, readable only by the organiser.

    address: "name:port", which bots connect to. for_season: whether the tokens are valid for many runs.
    """
    write_private(folder / TRUST_FILE, certificate.trust.decode("ascii"))
    invitations = []
    for name, (token, *spare) in tokens.items():
        environment = (
            f"BOWERBIRD_ADDRESS={address}",
            f"BOWERBIRD_TOKEN={token}",
            "BOWERBIRD_PROTOCOLS=1",
            f"BOWERBIRD_CA={TRUST_FILE}",
        )
        lines = (
            *(_season_heading(name) if for_season else _heading(name)),
            *environment,
            f"# SHA-256 fingerprint of the referee's certificate: {certificate.fingerprint}",
            *(SEASON_SPARE if for_season else SPARE),
            *(f"# BOWERBIRD_TOKEN={token}" for token in spare),
        )
        file = folder / f"{name}.env"
        write_private(file, "\n".join(lines) + "\n")
        invitations.append(InvitationFile(name, environment, file))
    return invitations


def listen(where: str) -> socket.socket:
    """Listen on "ADDRESS:PORT" ("[::1]:4711", "0.0.0.0:0" for any free port). Raises HostingError."""
    match = _LISTEN.fullmatch(where)
    if match is None or int(match[2]) > 65535:
        raise HostingError(f"--listen: {where!r} is not an ADDRESS:PORT such as 0.0.0.0:4711")
    host = match[1].strip("[]")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, int(match[2]), type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise HostingError(f"--listen: there is no address {host!r} on this machine ({error.strerror})") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise HostingError(f"--listen: cannot listen on {where} ({error.strerror})") from error
    return listener


def inherited(descriptor: int) -> socket.socket:
    """Return the listener that another process opened and passed on as this descriptor. Raises HostingError.

    Child processes do not inherit it. Connections wait in its backlog until they are accepted.
    """
    try:
        listener = socket.socket(fileno=descriptor)
    except OSError as error:
        raise HostingError(f"descriptor {descriptor} is not a socket ({error.strerror})") from error
    is_tcp = listener.family in (socket.AF_INET, socket.AF_INET6) and listener.type == socket.SOCK_STREAM
    if not is_tcp or not listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        listener.detach()  # it belongs to somebody else
        raise HostingError(f"descriptor {descriptor} is not a socket that listens on a TCP address")
    listener.set_inheritable(False)
    return listener


def public_names(listener: socket.socket, given: Sequence[str]) -> tuple[str, ...]:
    """Return the names that bots connect to: `given`, or the bound address, or the host name. Raises HostingError."""
    for name in given:
        if not _is_address(name) and not _NAME.fullmatch(name):
            raise HostingError(f"--public-name: {name!r} is not a host name or an IP address (without a port)")
    if given:
        return tuple(dict.fromkeys(given))
    bound = ip_address(listener.getsockname()[0])
    return (socket.gethostname(),) if bound.is_unspecified else (str(bound),)


def certificate_for(
    names: Sequence[str], chain: Path | None = None, key: Path | None = None, trust: Path | None = None
) -> Certificate:
    """Return the organiser's certificate from files, or a new one, valid for all `names`. Raises HostingError."""
    if (chain is None) != (key is None) or (trust is not None and chain is None):
        raise HostingError("--certificate and --key must be given together; --ca needs both")
    try:
        if chain is None or key is None:
            made = self_signed(tuple(dict.fromkeys((*names, *LOCAL_NAMES))))
        else:
            made = load_certificate(chain, key, trust)
        for name in names:
            made.check(name)
    except CertificateError as error:
        raise HostingError(str(error)) from error
    return made


def season_certificate(names: Sequence[str], folder: Path) -> Certificate:
    """Return the certificate of a season, valid for all `names`. Raises HostingError.

    It is made once in `folder` and read from there later.
    """
    chain, key = folder / CERTIFICATE_FILE, folder / KEY_FILE
    try:
        if chain.exists():
            kept = load_certificate(chain, key)
        else:
            kept = self_signed(tuple(dict.fromkeys((*names, *LOCAL_NAMES))), SEASON_VALIDITY)
            write_private(key, kept.key.decode("ascii"))
            write_private(chain, kept.chain.decode("ascii"))  # last: both files then exist
        for name in names:
            kept.check(name)
    except (CertificateError, OSError) as error:
        raise HostingError(
            f"{error}; to start over with another certificate, remove {chain} and send all authors new invitations"
        ) from error
    return kept


def address_of(name: str, listener: socket.socket) -> str:
    """Return "name:port", the address that bots connect to."""
    port = listener.getsockname()[1]
    return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _heading(bot: str) -> Sequence[str]:
    return (
        f"# The seat of bot {bot}. Anyone who has this file can play in its place: send it only to the bot's author.",
        f"# Put {TRUST_FILE} into the folder where the bot is started, then: set -a; . ./{bot}.env; set +a",
    )


SPARE = ("# A token works once. To start the bot again during the run, use the next of these:",)


def _season_heading(bot: str) -> Sequence[str]:
    return (
        f"# The seat of bot {bot} for the whole season. Anyone who has this file can play in its place: send it only",
        "# to the bot's author.",
        f"# Put {TRUST_FILE} into the folder where the bot is started. The bot ends after each run; a loop starts it",
        "# for the next one. Replace `python bot.py` with the bot's own command:",
        f"#   set -a; . ./{bot}.env; set +a; while true; do python bot.py; sleep 5; done",
        "# The same as a service of systemd:",
        "#   [Service]",
        f"#   WorkingDirectory=%h/{bot}",
        f"#   EnvironmentFile=%h/{bot}/{bot}.env",
        "#   ExecStart=python bot.py",
        "#   Restart=always",
        "#   RestartSec=5",
    )


SEASON_SPARE = (
    "# A token is valid for the season, for one process at a time. Further processes, each with another of these,",
    "# wait in reserve: when the one that plays loses its connection, the next takes its seats.",
)
