"""Two networks that learnt by self-play, and a search that looks a trick ahead with them.

One network decides from what a seat knows, the other sees all hands and predicts what the hand will bring (`network`).
Both know suits by their part in the hand, not by name (`renaming`). The search (`lookahead`) draws worlds that might be
the real one, tries the first network's best actions in each, and judges each result twice. The first network plays all
seats to the end of the trick, and the second says what that is worth; the policy of `bots.search` plays the hand out as
well. The mean counts. With two tricks left, when little is hidden, the rest of each world is solved instead
(`endings`). The first network's own choice stands unless another action is better beyond chance. From level 4 on,
worlds are weighted by how likely the network would have decided as the other seats did (`inference`).
Idea: A. Lerer et al., "Improving policies via search in cooperative partially observable games", 2020.

Networks are trained under the default options of their variants (`training`). Under options that change what a seat
can do or see, and in variants without networks, the bot plays as `bowerbird.bots.pimc` does, and says so in its log
(`player`).

`--level` sets the cost of a decision (`levels`); the same seed and level give the same game if the referee's time does
not run out. Open first: `player`.
"""
