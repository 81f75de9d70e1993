"""The socket through which a bot in a sandbox reaches the one host that it is granted (bot-file.md, Network)."""

from __future__ import annotations

import os
from collections.abc import Mapping

SOCKET, HOST = "BOWERBIRD_NETWORK_SOCKET", "BOWERBIRD_NETWORK_HOST"


class AnotherHostError(Exception):
    """A bot is granted a different host from the one it needs. The message is a sentence."""


def granted_socket(host: str, port: int, environment: Mapping[str, str] = os.environ) -> str:
    """Return the path of the socket to connect to instead of `host` and `port`, or "" without a grant.

    Raises AnotherHostError if the grant is for another host or port.
    """
    path = environment.get(SOCKET, "")
    needed = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    granted = environment.get(HOST, "")
    if path and granted != needed.lower():
        raise AnotherHostError(f"the bot is granted the host {granted}, and needs {needed}")
    return path
