"""Information set Monte Carlo tree search, seen from one seat (SO-ISMCTS).

Idea (P. Cowling, E. Powley, D. Whitehouse, "Information set Monte Carlo tree search", 2012): one tree for all worlds.
Each iteration draws a world that looks like the view and descends the tree by actions that are legal in this world.
UCB1 chooses them by how often an action was available. The first action that is new in the tree becomes a node. From
there a quick rollout policy plays the hand out, and each node passed gets the reward of its seat. The branch visited
most is played. Worlds, policy and rewards come from `bots.search`, as in `bots.pimc`. Unlike in `bots.pimc`, one choice
must serve all worlds at every depth, not only at the root; the price is a tree that a few iterations hardly fill.

Strength in every variant: `results/ladder`.

`--seconds` and `--worlds` (iterations) limit a decision; the limit that is reached first ends it. If time never runs
out, the same table seed gives the same game.
"""
