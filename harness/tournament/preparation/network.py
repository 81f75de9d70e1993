"""Gives bots the networks and secrets that their entries grant (tournament-file.md, isolate-bots.md)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from bowerbird.harness.referee.network.broker import broker
from bowerbird.harness.referee.network.target import ANY, TargetError, addresses_of, read_target
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.errors import MachinesError, NetworkError

SOCKET, HOST = "BOWERBIRD_NETWORK_SOCKET", "BOWERBIRD_NETWORK_HOST"
"""The environment variables of a bot with a network: the path of the socket, and the host and port behind it."""


@contextmanager
def networks(bots: Sequence[BotSpec], workspace: Path) -> Iterator[tuple[BotSpec, ...]]:
    """Run a broker for each bot that has a network during the block; yield the bots with the means to use it.

    Every bot also gets its secrets. Raises NetworkError if a secret is not set or a host cannot be found.

    workspace: the folder for logs.
    """
    with ExitStack() as stack:
        yield tuple(_with_network(_with_secrets(bot), workspace, stack) for bot in bots)


def refuse_elsewhere(bots: Sequence[BotSpec], option: str) -> None:
    """Raise MachinesError if a bot has a network or secrets, which are not available on other machines.

    option: names the machines.
    """
    for bot in bots:
        if bot.network or bot.secrets:
            what = "a network" if bot.network else "secrets"
            raise MachinesError(
                f"bot {bot.name!r} is granted {what}, but other machines have none; play the file without {option}"
            )


def network_lines(bots: Sequence[BotSpec]) -> Iterator[str]:
    """Yield a sentence for each bot that has a network, and for each that asks for one but gets none."""
    for bot in bots:
        if bot.network:
            yield f"bot {bot.name} may reach only {bot.network}"
        elif bot.asks_network:
            host = "a host" if bot.asks_network == ANY else bot.asks_network
            yield f"bot {bot.name} requests {host}, which [[bot]] does not grant: in a sandbox it has no network"


def _with_secrets(bot: BotSpec) -> BotSpec:
    return replace(bot, private={**bot.private, **_values(bot)}) if bot.secrets else bot


def _values(bot: BotSpec) -> Mapping[str, str]:
    for name in bot.secrets:
        if name not in os.environ:
            raise NetworkError(f"bot {bot.name!r} needs the variable {name}, which is not set; set and export it")
    return {name: os.environ[name] for name in bot.secrets}


def _with_network(bot: BotSpec, workspace: Path, stack: ExitStack) -> BotSpec:
    if not bot.network:
        return bot
    target = read_target(bot.network)
    try:
        addresses_of(target)
        socket = stack.enter_context(broker(target, workspace / f"{bot.name}-network.log"))
    except TargetError as error:
        raise NetworkError(f"bot {bot.name!r} cannot be given the network {target}: {error}") from None
    except OSError as error:
        raise NetworkError(
            f"bot {bot.name!r} cannot be given the network {target}: {error.strerror or error}"
        ) from None
    own = {SOCKET: str(socket), HOST: bot.network}
    return replace(bot, private={**bot.private, **own}, read=(*bot.read, socket))
