"""A bot that plays at random: the least that a bot in Python can be."""
