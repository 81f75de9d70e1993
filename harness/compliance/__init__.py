"""Tries a bot against the seat protocol, sentence by sentence (PROTOCOL.md, Compliance).

`check` starts the bot's processes, talks to them as a referee would, and says of each numbered sentence of `sentences`
whether it holds. It plays no rated game and records nothing.
"""
