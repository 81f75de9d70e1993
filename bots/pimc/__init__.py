"""Perfect-information Monte Carlo: what is best on average in worlds that might be this one.

Idea (M. Ginsberg, "GIB: imperfect information in a computationally challenging game", 2001): draw worlds that look
like the view; in each, try every legal action and play the hand to its end with all cards open; take the action that
is best on average. Here worlds come from `engine.Sampler`, those that fit the calls of the others more often
(`bots.search.worlds`); hands are played out by quick habits rather than solved (`bots.search.habits`); what is left of
the game counts by the scores (`bots.search.worth`). Actions that fall clearly behind are dropped early, and the greedy
bot's choice stands unless another is better beyond chance. Weak where one must hide what one knows, or find it out:
in every world all is known.

Strength in every variant: `results/ladder`; at euchre, also against OpenSpiel's search: `bots/README.md`.

`--seconds` and `--worlds` limit a decision, whichever ends first; with time enough for the worlds, the same table seed
gives the same game.
"""
