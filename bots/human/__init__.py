"""A person at a seat: the bot passes each decision to the program that shows the game, and returns the answer.

`bowerbird play` starts it and shows the game. Start with `relay`, which describes the messages between the two.
"""
