"""Two networks that learnt by self-play, and a search that looks a trick ahead with them.

One network decides from what a seat knows. The other sees all hands and predicts the result of the hand (`network`).
Both see suits by their role in the hand, not by name (`renaming`). The search (`lookahead`) draws worlds that might be
the real one, tries the first network's best actions in each, and evaluates each result in two ways: the first network
plays all seats to the end of the trick and the second evaluates the position, and the policy of `bots.search` plays the
hand out. The mean of both counts. With two tricks left, when little is hidden, the rest of each world is solved instead
(`endings`). The first network's own choice stands unless another action is better beyond chance. From level 4 on,
worlds are weighted by the probability that the network would have decided as the other seats did (`inference`). Idea:
A. Lerer et al., "Improving policies via search in cooperative partially observable games", 2020.

Networks are trained under the default options of their variants (`training`). Under options that change what a seat can
do or see, and in variants without networks, the bot plays like `bowerbird.bots.pimc` and notes that in its log
(`player`).

`--level` sets the cost of a decision (`levels`). The same seed and level give the same game if the referee's time does
not run out. Open first: `player`.
"""
