"""The host that a bot may reach, and the addresses that may be used for it."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass

ANY = "*"
"""In a bot.toml: the bot needs one host, which the organiser chooses."""

SYNTAX = 'a host and a port such as "models.example.org:443"'

_TARGET = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]{1,253}):(?P<port>[0-9]{1,5})")
_LOCAL = "localhost"
_NAT64, _LOCAL_NAT64 = ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48")
"""RFC 6052 and 8215: IPv4 through a gateway. Python 3.11 considers both public."""


class TargetError(Exception):
    """A host is invalid or cannot be reached. The message is part of a sentence."""


@dataclass(frozen=True, slots=True)
class Target:
    """A host, given by name or address, and a port from 1 to 65535."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return the target as text."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def may_be_private(self) -> bool:
        """Whether a private address was given explicitly. A name that leads to one is refused."""
        return self.host == _LOCAL or _as_address(self.host) is not None


def read_target(text: str) -> Target:
    """Return the target given by a string. Raises TargetError, whose message is `SYNTAX` in a sentence."""
    found = _TARGET.fullmatch(text)
    if found is None or not 1 <= int(found["port"]) <= 65535:
        raise TargetError(f"got {text!r}; must be {SYNTAX}")
    host = found["host"].lower()
    if host.startswith("["):
        host = host[1:-1]
        if _as_address(host) is None:
            raise TargetError(f"got {text!r}; must be {SYNTAX}")
    return Target(host, int(found["port"]))


def addresses_of(target: Target) -> Sequence[str]:
    """Return the addresses of a target. It queries the system's resolver, which may take seconds.

    Raises TargetError if it has none, or if its name leads to a private address, so that a name cannot be pointed at
    the machine itself or its neighbours.
    """
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise TargetError(f"{target.host} has no address: {getattr(error, 'strerror', None) or error}") from None
    addresses = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
    if not target.may_be_private:
        for address in addresses:
            if not is_public(address):
                raise TargetError(
                    f"{target.host} resolves to {address}, which is not a public address; "
                    "to allow that, grant the address"
                )
    return addresses


def is_public(address: str) -> bool:
    """Return whether an address belongs to a host on the internet. For an embedded address, the inner one counts."""
    found = _as_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        within = _within(found)
        if found in _LOCAL_NAT64 or (within is not None and not _is_public(within)):
            return False
    return found is not None and _is_public(found)


def _within(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address to which an IPv6 address leads, if any."""
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return address.is_global and not address.is_multicast


def _as_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
