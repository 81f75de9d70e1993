"""The common parts of the searching bots (`bowerbird.bots.pimc`, `bowerbird.bots.ismcts`).

A search draws worlds that match its view (`worlds`), plays each of them to the end of the hand by a rollout policy
(`policy`), and turns the scores into an expected result of the game (`rollout`). `budget` limits how long it searches.
`estimator` estimates the tricks of a hand for the policy. Start with `bot`.
"""
