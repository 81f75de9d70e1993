"""The strength of bots, and how many deals a comparison takes.

`ladder` plays the bundled bots against greedy in every variant (`rungs` holds its tournaments) and writes
results/ladder. `power` measures how much must be played to tell two bots apart. `openspiel_match` plays them against
OpenSpiel's search, and `duel` mirrored deals between any two of our bots. Of champion, `inference` measures what it
infers, and `endings` how well it judges the last tricks. `measured` is what they share. Open `ladder` first.
"""
