"""The strength of bots, and how many deals a comparison takes.

`ladder` plays the bundled bots against greedy in every variant (`rungs` holds its tournaments) and writes
results/ladder. `power` measures how much must be played to tell two bots apart. `openspiel_match` plays pimc against
OpenSpiel's search, and `duel` mirrored deals between any two of our bots. Open `ladder` first.
"""
