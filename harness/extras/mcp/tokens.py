"""The tokens of agents: a private file with lines NAME TOKEN. It is made if it is missing."""

from __future__ import annotations

import secrets
import stat
from collections.abc import Mapping
from pathlib import Path

from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.run import wrong_name
from bowerbird.harness.tournament.errors import ConfigError
from bowerbird.harness.tournament.preparation.private_file import write_private

TOKEN_BYTES = 32

SHORTEST_TOKEN = 32
"""Characters. A shorter one could be guessed."""

MOST_TOKENS = 64


def read_tokens(path: Path, name: str) -> Mapping[str, str]:
    """Return the agents by token. Without a file, make one with a new token for the agent `name`.

    An agent with several tokens has several places.

    Raises ConfigError, which never repeats a token.
    """
    where = shown(str(path))
    if not path.exists():
        try:
            write_private(path, f"{name} {secrets.token_urlsafe(TOKEN_BYTES)}\n")
        except OSError as error:
            raise ConfigError(f"{where}: the tokens cannot be written: {error.strerror}") from None
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise ConfigError(f"{where}: others can read these tokens; first run: chmod 600 {where}")
        text = path.read_text()
    except (OSError, UnicodeDecodeError):
        raise ConfigError(f"{where}: the tokens cannot be read") from None
    agents: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split()
        if len(words) != 2:
            raise ConfigError(f"{where}, line {number}: must be a name and a token, such as: ada TOKEN")
        agent, token = words
        if wrong := wrong_name(agent):
            raise ConfigError(f"{where}, line {number}: {wrong}")
        if len(token) < SHORTEST_TOKEN or not token.isascii():
            raise ConfigError(f"{where}, line {number}: the token must have at least {SHORTEST_TOKEN} characters")
        if token in agents:
            raise ConfigError(f"{where}, line {number}: this token is already on another line")
        agents[token] = agent
    if not 1 <= len(agents) <= MOST_TOKENS:
        raise ConfigError(f"{where}: must have 1 to {MOST_TOKENS} tokens (got {len(agents)})")
    return agents
