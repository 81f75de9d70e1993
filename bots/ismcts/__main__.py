"""Plays by information set Monte Carlo tree search: `python -m bots.ismcts [--seconds S] [--worlds N]`."""

import sys

from bots.ismcts.player import choose
from bots.search.bot import SearchingBot
from bots.search.budget import budget_from
from bowerbird.sdk import run


class IsmctsBot(SearchingBot):
    """See `bots.ismcts`."""


if __name__ == "__main__":
    run(IsmctsBot(choose, budget_from(sys.argv[1:], "ismcts")))
