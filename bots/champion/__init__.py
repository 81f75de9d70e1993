"""Two networks that learnt by self-play, and a search that looks a trick ahead with them.

One network decides from what a seat knows, the other sees all hands and says what the hand is to bring (`network`).
Both know suits by their part in the hand, not by name (`suits`). The search (`lookahead`) draws worlds that might be
the real one, tries the first network's best actions in each, lets it play all seats to the end of the trick, and asks
the second one what that is worth. So the search does not suppose that the others see all cards while they decide. It
does so with two tricks left, when little is hidden: then the rest of each world is solved (`endings`). The first
network's own choice stands unless another action is better beyond chance. From level 4 on, worlds are weighted by how
likely the network, in the place of the others, would have decided as they did (`inference`). Idea: A. Lerer et al.,
"Improving policies via search in cooperative partially observable games", 2020.

Networks are trained under the default options of their variants (`training`). Under options that change what a seat
can do or see, and in variants without networks, the bot plays as `bots.pimc` does (`player`).

`--level` sets the cost of a decision (`levels`); the same seed and level give the same game if the referee's time does
not run out. Open first: `player`.
"""
