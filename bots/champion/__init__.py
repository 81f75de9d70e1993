"""A network that learnt by playing itself, and a search that looks a hand ahead with it.

Every seat of a game that the search imagines is played by the network (`network`), from what that seat would know. So
the search does not suppose that the others see all cards, as `bots.pimc` does, and bids are tried as they will be
played. Worlds that might be the real one are drawn evenly, and weighted by how likely the network, in the place of the
others, would have decided as they did (`inference`). The search (`lookahead`) tries the network's best actions in the
likely worlds and takes the one that brings most; the network's own choice stands unless another is better beyond
chance. Idea: A. Lerer et al., "Improving policies via search in cooperative partially observable games", 2020.

Networks are trained under the default options of their variants (`training`). Under options that change what a seat
can do or see, and in variants without a network, the bot plays as `bots.pimc` does (`player`).

`--level` sets the cost of a decision (`levels`); the same seed and level give the same game if the referee's time does
not run out. Open first: `player`.
"""
