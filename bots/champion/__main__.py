"""Plays with trained networks and a search: `python -m bowerbird.bots.champion [--level 1..5]`."""

import argparse

from bowerbird.bots.champion.levels import DEFAULT, LEVELS
from bowerbird.bots.champion.player import ChampionBot
from bowerbird.sdk import run


def main() -> None:
    """Play at the level from the command line."""
    parser = argparse.ArgumentParser(prog="champion", description="A bot that learnt; bowerbird starts it.")
    parser.add_argument(
        "--level", type=int, choices=LEVELS, default=DEFAULT, help="the cost of a decision (%(default)s)"
    )
    run(ChampionBot(LEVELS[parser.parse_args().level]))


if __name__ == "__main__":
    main()
