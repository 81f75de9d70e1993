"""Plays by perfect-information Monte Carlo: `python -m bots.pimc [--seconds S] [--worlds N]`."""

import sys

from bots.pimc.player import choose
from bots.search.bot import SearchingBot
from bots.search.budget import budget_from
from bowerbird.sdk import run


class PimcBot(SearchingBot):
    """See `bots.pimc`."""


if __name__ == "__main__":
    run(PimcBot(choose, budget_from(sys.argv[1:], "pimc")))
