"""How the pages are served."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from bowerbird.harness.extras.serve.limits import Limits


@dataclass(frozen=True, slots=True)
class Settings:
    """A server of pages.

    prefix: what addresses begin with, "" or "/euchre".
    hosts: the names in the header Host that are answered; None for any.
    is_behind_proxy: whether the X-Forwarded headers of a request are believed.
    """

    database: Path
    prefix: str = ""
    hosts: frozenset[str] | None = None
    is_behind_proxy: bool = False
    limits: Limits = field(default_factory=Limits)


LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""The names that a server reachable only from this machine answers to."""
