"""Plays by perfect-information Monte Carlo: `python -m bowerbird.bots.pimc [--seconds S] [--worlds N]`."""

import sys

from bowerbird.bots.pimc.player import choose
from bowerbird.bots.search.bot import SearchingBot
from bowerbird.bots.search.budget import budget_from
from bowerbird.sdk import run


class PimcBot(SearchingBot):
    """See `bowerbird.bots.pimc`."""


if __name__ == "__main__":
    run(PimcBot(choose, budget_from(sys.argv[1:], "pimc")))
