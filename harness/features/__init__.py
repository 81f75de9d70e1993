"""Numbers for learning agents: actions as numbers, and what a seat knows as one array.

Input: the rules of a game, and views of seats or games in play. Output: action numbers, masks and observations in
numpy, the same for environments, for OpenSpiel's tensors and for bots over the protocol. Everything derives from what
the engine declares (`Rules.every_action`, `Rules.facts`). Open first: `layout`. Then `observing`, which fills a layout
from a view, and `tracking`, which does it faster for a game in play.
"""
