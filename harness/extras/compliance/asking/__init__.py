"""Asks a bot for one decision of a recorded game, as `bowerbird ask` does.

Input: a bot, and a `Position` of a recorded game. Output: the bot's answers (`asking`), or a debugger in the bot's own
process (`debugger`). `messages` builds the messages that the game's referee would have sent to the seat. Open first:
`asking`.
"""
