"""What counts as one stranger: an IPv4 address, or the /64 network of an IPv6 address, which one machine may have."""

from __future__ import annotations

from ipaddress import IPv6Address


def network_of(host: str) -> str:
    """Return what counts as one address; a text that is not an address, such as a proxy may send, counts as it is."""
    if ":" not in host:
        return host
    try:
        address = IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return f"{IPv6Address(int(address) >> 64 << 64)}/64"
