"""Numbers for learning agents: actions as numbers, and a seat's knowledge as one array.

Input: the rules of a game, and views of seats or games in play. Output: action numbers, masks and observations in
numpy, the same for environments, for OpenSpiel's tensors and for bots over the protocol. Everything derives from the
engine's declarations (`Rules.every_action`, `Rules.facts`). Open first: `layout`. Then `observing`, which fills a
layout from a view, and `tracking`, which is faster for a game in play.
"""
