"""Addresses that serve the rounds of a chain of drand."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

QUICKNET_ADDRESSES = tuple(
    f"https://{host}/52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
    for host in ("api.drand.sh", "api2.drand.sh", "api3.drand.sh", "drand.cloudflare.com")
)
"""Where the public chain quicknet is served, whose hash ends each address."""

_ADDRESS = re.compile(r"https?://[!-~]+")


def is_address(text: str) -> bool:
    """Return whether a text is the address of a chain, to which `/public/ROUND` is added."""
    if not _ADDRESS.fullmatch(text):
        return False
    try:
        url = urlsplit(text)
        return bool(url.hostname) and url.port != 0 and not (url.query or url.fragment or "@" in url.netloc)
    except ValueError:
        return False
