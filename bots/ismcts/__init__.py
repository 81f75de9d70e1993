"""Information set Monte Carlo tree search, seen from one seat (SO-ISMCTS).

Idea (P. Cowling, E. Powley, D. Whitehouse, "Information set Monte Carlo tree search", 2012): one tree for all worlds.
Each iteration draws a world that looks like the view and goes down the tree by those actions that are legal in it,
chosen by UCB1, where what counts is how often an action was available. The first action that is new in the tree becomes
a node; from there the hand is played out by quick habits, and each seat on the way gets what it is worth to it. The
branch most visited is played. Worlds, habits and worth are those of `bots.pimc`. Unlike there a choice must serve all
worlds at once further down, too, not at the root alone; the price is a tree that few iterations hardly fill.

Strength in every variant: `results/ladder`.

`--seconds` and `--worlds` (iterations) limit a decision, whichever ends first; with time enough for the iterations,
the same table seed gives the same game.
"""
