"""The parts that the searching bots (`bowerbird.bots.pimc`, `bowerbird.bots.ismcts`) share.

A search draws worlds that look like its view (`worlds`), plays each of them to the end of the hand by a rollout policy
(`policy`), and takes the scores then for the rest of the game (`rollout`). `budget` limits how long it searches.
`estimator` gives the policy the tricks of a hand. Start with `bot`.
"""
