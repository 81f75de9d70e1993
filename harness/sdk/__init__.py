"""The SDK for bots in Python. Bots import it as `bowerbird.sdk`, which describes it.

`harness.sdk.local.play` plays a whole game in this process, without a referee. Open first: `bot`. Internally, `client`
starts the bot, `connection` carries its messages in a `stream`, and `session` turns each message into calls to the bot.
A stream to a unix socket is a `socket_stream`; gRPC's package carries all others (`grpc_stream`).
"""

from importlib import import_module
from typing import TYPE_CHECKING

from bowerbird.harness.sdk.bot import RESIGN, Bot, BotFailedError, Capabilities, Choice
from bowerbird.harness.sdk.client import run

if TYPE_CHECKING:
    from bowerbird.harness.sdk.decision import Decision, Fault, HandEnd, Table, TableEnd

__all__ = [
    "RESIGN",
    "Bot",
    "BotFailedError",
    "Capabilities",
    "Choice",
    "Decision",
    "Fault",
    "HandEnd",
    "Table",
    "TableEnd",
    "run",
]


def __getattr__(name: str) -> object:
    """Load the names that import the engine and the protocol on first use."""
    if name in __all__:
        return getattr(import_module("bowerbird.harness.sdk.decision"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
