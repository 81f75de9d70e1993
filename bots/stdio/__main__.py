"""Plays a program's decisions: `python -m bowerbird.bots.stdio PROGRAM ARGUMENT…`."""

import argparse
import os

from bowerbird.bots.bridge.bot import Bridge, play
from bowerbird.bots.stdio.program import Program


def main() -> None:
    """Play, or exit with a sentence if the arguments are wrong."""
    parser = argparse.ArgumentParser(
        prog="bowerbird.bots.stdio", description="A program that speaks JSON lines, as a bot; bowerbird starts it."
    )
    parser.add_argument("program", help="a path, relative to the working folder, or a name on the PATH")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    asked = parser.parse_args()
    command = (asked.program, *asked.arguments)
    name = os.path.basename(asked.program)
    play(Bridge(name, lambda: Program(command), is_shared=False))


if __name__ == "__main__":
    main()
