"""Plays a service's decisions: `python -m bowerbird.bots.http URL [--token-variable NAME]`."""

import argparse
import os

from bowerbird.bots.bridge.bot import Bridge, play
from bowerbird.bots.bridge.network import AnotherHostError, granted_socket
from bowerbird.bots.http.endpoint import Address, Endpoint


def main() -> None:
    """Play, or exit with a sentence if the arguments are wrong."""
    parser = argparse.ArgumentParser(prog="bowerbird.bots.http", description="A service as a bot; bowerbird starts it.")
    parser.add_argument("url", help="http or https; each message is one POST to it")
    parser.add_argument(
        "--token-variable",
        default="",
        metavar="NAME",
        help="the environment variable with a token, sent as Authorization: Bearer",
    )
    asked = parser.parse_args()
    token = os.environ.get(asked.token_variable, "") if asked.token_variable else ""
    if asked.token_variable and not token:
        parser.error(f"the environment variable {asked.token_variable} is not set")
    try:
        address = Address.of(asked.url, token)
        socket = granted_socket(address.host, address.port)
    except (ValueError, AnotherHostError) as error:
        parser.error(str(error))
    play(Bridge(address.host, lambda: Endpoint(address, socket), is_shared=True))


if __name__ == "__main__":
    main()
