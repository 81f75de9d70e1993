"""Seats a service that answers POST requests with JSON (bridges.md).

`python -m bowerbird.bots.http URL` is the command of a bot.toml. One service plays all tables, and each message names
its table. Open first: `endpoint`; `bowerbird.bots.bridge` is the bot itself.
"""
