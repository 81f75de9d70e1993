"""Names the host that a bot may reach, and finds the addresses that it may use for it."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass

ANY = "*"
"""In a bot.toml: the bot needs one host, and the organiser says which."""

SYNTAX = 'a host and a port such as "models.example.org:443"'

_TARGET = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]{1,253}):(?P<port>[0-9]{1,5})")
_LOCAL = "localhost"
_NAT64, _LOCAL_NAT64 = ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48")
"""RFC 6052 and 8215: IPv4 through a gateway. Python 3.11 counts both as public."""


class TargetError(Exception):
    """A host that cannot be named or reached; the message is part of a sentence."""


@dataclass(frozen=True, slots=True)
class Target:
    """A host, by its name or its address, and a port from 1 to 65535."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return it as it is written."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def may_be_private(self) -> bool:
        """Whether a private address was written out: a name that leads to one is refused."""
        return self.host == _LOCAL or _as_address(self.host) is not None


def read_target(text: str) -> Target:
    """Return the target that a string names. Raises TargetError, whose message is `SYNTAX` in a sentence."""
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
    """Return the addresses of a target. It asks the system's resolver, which may take seconds.

    Raises TargetError if it has none, or if its name leads to a private address: so a name cannot be pointed at the
        machine itself or at its neighbours.
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
    """Return whether an address belongs to a host on the internet; an address inside another counts as the inner
    one."""
    found = _as_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        within = _within(found)
        if found in _LOCAL_NAT64 or (within is not None and not _is_public(within)):
            return False
    return found is not None and _is_public(found)


def _within(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address to which an IPv6 address leads, if it leads to one."""
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
