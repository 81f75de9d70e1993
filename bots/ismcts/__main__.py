"""Plays by information set Monte Carlo tree search: `python -m bowerbird.bots.ismcts [--seconds S] [--worlds N]`."""

import sys

from bowerbird.bots.ismcts.player import choose
from bowerbird.bots.search.bot import SearchingBot
from bowerbird.bots.search.budget import budget_from
from bowerbird.sdk import run


class IsmctsBot(SearchingBot):
    """See `bowerbird.bots.ismcts`."""


if __name__ == "__main__":
    run(IsmctsBot(choose, budget_from(sys.argv[1:], "ismcts")))
