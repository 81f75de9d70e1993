"""The strength of bots, and the number of deals that a comparison takes.

`ladder` plays the bundled bots against greedy in every variant (`rungs` holds its tournaments) and writes
results/ladder. `power` measures how much play it takes to distinguish two bots. `openspiel_match` plays our bots
against OpenSpiel's search, and `duel` plays mirrored deals between any two of our bots. For champion, `inference`
measures its inference, and `endings` its judgement of the last tricks. `measured` is shared by all of them. Open
`ladder` first.
"""
