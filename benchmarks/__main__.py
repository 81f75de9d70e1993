"""`make bench ARGS="PART …"`, or `python -m benchmarks PART …`: runs the program that measures the part."""

from __future__ import annotations

import sys
from importlib import import_module

from bowerbird.engine import unknown

SYSTEM = "system"
"""The part to measure if the command line names no part."""

PARTS = {
    SYSTEM: ("system.rounds", "the system and bare gRPC, 10 minutes (--only b,c --against PATH)"),
    "profile": ("profiling", "where the time of a decision goes (b) (c --bot go) (--of bot)"),
    "engine": ("engine_speed", "the rules engine, every variant (--json euchre buck)"),
    "envs": ("environments", "environments for learning agents, and OpenSpiel's (--variant buck)"),
    "serve": ("serve_load", "many browsers on the pages of a run (--browsers 50 --sets 200)"),
    "archive": ("archive_size", "size and times of an archive of 10,000 games (--games 1000)"),
    "million": ("scale.million", "a tournament of 1,000,000 decisions (--decisions 100000)"),
    "cost": ("scale.cost", "the costs that scale.md uses (--only fits)"),
    "cluster": ("scale.cluster", "a cluster on this machine and --jobs, 20 minutes (--pairs 1)"),
    "forecast": ("scale.forecast", "1,000 bots on up to 1,000 workers, simulated, 2 minutes"),
    "scale-page": ("scale.page", "write the tables of two pages from the results of these parts"),
    "pairing": ("pairing.run", "deal sets that a ranking needs, simulated, 10 minutes (--quick)"),
    "ratings": ("ratings.run", "coverage and errors of the ratings (--only bridges,equal --jobs 2)"),
    "power": ("strength.power", "how many games it takes to distinguish two bots (--slips 0.1 buck)"),
    "duel": ("strength.duel", "mirrored deals of two bots (champion:3 pimc:40 --deals 200 euchre)"),
    "ismcts": ("strength.openspiel_match", "the same against OpenSpiel's search (champion:3 --deals 100)"),
    "inference": ("strength.inference", "what champion infers of hidden cards (greedy --deals 200 euchre)"),
    "judging": (
        "strength.judging",
        "how well champion judges decisions (greedy --random euchre)",
    ),
    "losses": ("strength.losses", "whether losses order the ladder's bots as points do (--sets 6)"),
    "endings": ("strength.endings", "champion's last tricks compared with solutions (--tricks 2 euchre)"),
    "ladder": ("strength.ladder", "write results/ladder, 50 minutes on two cores (--only 5-champion)"),
}
"""The module of each part, whose `main` reads the command line, and its line in the list, with options to try."""


def main() -> None:
    """Measure the part named by the first argument, or list the parts. Exit with code 2 for an unknown part."""
    name, *rest = sys.argv[1:] or [SYSTEM]
    if name in ("help", "-h", "--help"):
        print(listed())
        return
    if name.startswith("-"):
        name, rest = SYSTEM, sys.argv[1:]
    if name not in PARTS:
        sys.stderr.write(f"{unknown('part', name, PARTS)}; ARGS=help lists them\n")
        sys.exit(2)
    sys.argv[:] = [f"python -m benchmarks {name}", *rest]
    import_module(f"benchmarks.{PARTS[name][0]}").main()


def listed() -> str:
    """Return the list of the parts."""
    lines = (f"  {name:<12}{line}" for name, (_, line) in PARTS.items())
    return "\n".join(('make bench ARGS="PART OPTIONS" measures a part, by default the system:', *lines))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
