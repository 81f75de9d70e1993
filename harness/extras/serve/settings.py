"""The settings of the server of pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from bowerbird.harness.extras.serve.limits import Limits


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a server of pages.

    prefix: the beginning of all addresses, "" or, for example, "/euchre".
    hosts: the names accepted in the header Host; None for any.
    is_behind_proxy: whether to trust the X-Forwarded headers of a request.
    """

    database: Path
    prefix: str = ""
    hosts: frozenset[str] | None = None
    is_behind_proxy: bool = False
    limits: Limits = field(default_factory=Limits)


LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""The names accepted in Host by a server that only this machine can reach."""
