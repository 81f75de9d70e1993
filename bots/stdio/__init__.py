"""Seats a program in any language that exchanges JSON lines over stdin and stdout (bridges.md).

`python -m bowerbird.bots.stdio PROGRAM ARGUMENT…` is the command of a bot.toml in the program's folder. One process of
the program plays one table at a time. Open first: `program`; `bowerbird.bots.bridge` is the bot itself.
"""
