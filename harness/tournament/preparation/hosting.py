"""Lets remote bots connect: an address, a certificate, and an invitation for each bot."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from harness.referee.remote.admission import Admission, TlsListener
from harness.referee.remote.certificate import Certificate, CertificateError, load_certificate, self_signed
from harness.tournament.errors import HostingError, RemoteBotError
from harness.tournament.plan import Plan

TRUST_FILE = "bowerbird.pem"
"""The certificate that remote bots trust; it goes with each invitation."""

BACKLOG = 4096
"""Connections that wait to be accepted. Linux drops further ones silently, and their clients try again after 1 s."""

LOCAL_NAMES = ("localhost", "127.0.0.1")
"""Names in every certificate made here, so that a bot can be tried on the referee's machine."""

_LISTEN = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+):(\d{1,5})")
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class InvitationFile:
    """The invitation of one bot: environment variables as "NAME=value", and the file that holds them."""

    bot: str
    environment: tuple[str, ...]
    file: Path


@dataclass(frozen=True, slots=True)
class Hosting:
    """A listener for remote bots, with the organiser's settings.

    address: "name:port", which bots connect to.
    wait_s: how long all bots have to connect, in seconds.
    folder: holds a folder with the invitations of each run.
    announce: called with the invitations, the path of the PEM file, and the commitment to the run's seed.
    """

    listener: socket.socket
    certificate: Certificate
    address: str
    wait_s: float
    folder: Path
    announce: Callable[[Sequence[InvitationFile], Path, str], None]

    def open_admission(self, plan: Plan, withdrawn: Collection[str], on_update: Callable[[str], None]) -> Admission:
        """Invite the remote bots of a plan that are not `withdrawn`. Return the admission through which they connect.

        on_update: called with a sentence when a bot connects or leaves.
        """
        file = plan.file
        remote = [bot for bot in file.bots if bot.remote and bot.name not in withdrawn]
        tls_listener = TlsListener(self.listener, self.certificate.server_context())
        admission = Admission(
            remote, tls_listener, tables=file.tables, time=file.time, limits=file.limits, report=on_update
        )
        self._invite(admission, plan.header.fingerprint, plan.header.commitment)
        return admission

    def _invite(self, admission: Admission, run: str, commitment: str) -> None:
        """Write the invitations, readable for the organiser alone, and announce them."""
        folder = self.folder / run
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        trust = folder / TRUST_FILE
        _write_secret(trust, self.certificate.trust.decode("ascii"))
        invitations = []
        for name, invitation in admission.invitations.items():
            environment = (
                f"BOWERBIRD_ADDRESS={self.address}",
                f"BOWERBIRD_TOKEN={invitation.tokens[0]}",
                "BOWERBIRD_PROTOCOLS=1",
                f"BOWERBIRD_CA={TRUST_FILE}",
            )
            file = folder / f"{name}.env"
            _write_secret(
                file, "\n".join(_invitation(name, environment, invitation.tokens[1:], self.certificate)) + "\n"
            )
            invitations.append(InvitationFile(name, environment, file))
        self.announce(invitations, trust, commitment)

    async def gather(self, admission: Admission) -> None:
        """Wait until every remote bot is connected. Raises RemoteBotError, naming the missing ones, after `wait_s`."""
        missing = await admission.gather(self.wait_s)
        if missing:
            names = ", ".join(repr(name) for name in missing)
            raise RemoteBotError(
                f"bot {names} did not dial in within {self.wait_s:g} s, nothing was played; "
                "check that they can reach this address, or wait longer with --wait"
            )


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


def public_names(listener: socket.socket, given: Sequence[str]) -> tuple[str, ...]:
    """Return the names that bots connect to: `given`, or the bound address or host name. Raises HostingError."""
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
        raise HostingError("--certificate and --key go together, and --ca with them")
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


def _invitation(bot: str, environment: Sequence[str], spare: Sequence[str], certificate: Certificate) -> list[str]:
    return [
        f"# The seat of bot {bot}. Anyone who has this file can play in its place: send it only to the bot's author.",
        f"# Put {TRUST_FILE} into the folder where the bot is started, then: set -a; . ./{bot}.env; set +a",
        *environment,
        f"# SHA-256 fingerprint of the referee's certificate: {certificate.fingerprint}",
        "# A token works once. To start the bot again during the run, use the next of these:",
        *(f"# BOWERBIRD_TOKEN={token}" for token in spare),
    ]


def _write_secret(file: Path, text: str) -> None:
    """Write a new file that only its owner may read."""
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        out.write(text)
