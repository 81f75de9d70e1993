"""Perfect-information Monte Carlo: chooses the action that is best on average in worlds that might be the real one.

Idea (M. Ginsberg, "GIB: imperfect information in a computationally challenging game", 2001): draw worlds that match the
view; in each, try every legal action and play the hand to its end with all cards open; choose the action that is best
on average. Here `Sampler` draws the worlds, and worlds that fit the others' bids are likelier (`bots.search.worlds`). A
quick rollout policy plays hands out instead of solving them (`bots.search.policy`). The resulting scores are turned
into an expected result of the game (`bots.search.rollout`). Actions that fall clearly behind are dropped early, and
greedy's choice stands unless another is better beyond chance. It is weak when a player must hide information or find it
out, since all cards are known in every world.

Strength in every variant: `results/ladder`; at euchre, also against OpenSpiel's search: `bots/README.md`.

`--seconds` and `--worlds` limit a decision, which ends at the first limit reached. If time never runs out, the same
table seed leads to the same game.
"""
