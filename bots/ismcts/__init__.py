"""Information set Monte Carlo tree search, seen from one seat (SO-ISMCTS).

Idea (P. Cowling, E. Powley, D. Whitehouse, "Information set Monte Carlo tree search", 2012): one tree for all worlds.
Each iteration draws a world that matches the view, and descends the tree by actions that are legal in this world. UCB1
chooses them, counting how often each was available. The first action that is new in the tree becomes a node. From there
a quick rollout policy plays the hand out, and each node passed gets its seat's reward. The most visited branch is
played. Worlds, policy and rewards come from `bots.search`, as in `bots.pimc`. Unlike in `bots.pimc`, one choice must
serve all worlds at every depth, not only at the root. The price is a tree that is thin with few iterations.

Strength in every variant: `results/ladder`.

`--seconds` and `--worlds` (iterations) limit a decision, which ends at the first limit reached. If time never runs out,
the same table seed leads to the same game.
"""
