"""Plays euchre with a bot of OpenSpiel: `python -m bowerbird.bots.openspiel [--bot NAME] [--simulations N]`."""

import argparse
import sys

from bowerbird.sdk import run


def main() -> None:
    """Play, or exit with a sentence if the arguments are wrong or OpenSpiel is not installed."""
    parser = argparse.ArgumentParser(prog="openspiel", description="A bot of OpenSpiel; bowerbird starts it.")
    parser.add_argument("--bot", default="ismcts", help="ismcts, a registered bot, or MODULE:FUNCTION (%(default)s)")
    parser.add_argument("--simulations", type=int, default=300, help="of ismcts, for each decision (%(default)s)")
    asked = parser.parse_args()
    if asked.simulations < 1:
        parser.error("--simulations must be at least 1")
    try:
        from bowerbird.bots.openspiel.player import OpenSpielBot, maker_of
    except ModuleNotFoundError as error:
        if error.name != "pyspiel":
            raise
        sys.exit("OpenSpiel is not installed: pip install 'bowerbird[openspiel]' adds it")
    try:
        make = maker_of(asked.bot, asked.simulations)
    except ValueError as error:
        parser.error(str(error))
    run(OpenSpielBot(make))


if __name__ == "__main__":
    main()
