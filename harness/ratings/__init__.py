"""Ratings of bots from results of games, their errors, and tests of strength (ratings.md).

Input: results of games (`GameResult`), whole deal sets. Output: estimates with errors, rating lists, test decisions.
`bradley_terry` fits the rating of record, `elo` keeps incremental ratings, `sequential` tests one bot against another,
`standings` puts everything into the tables that users see, and `collusion` flags unlikely results. `points` measures
points per deal (with `clustered_ratios`), and `normalised` measures means in standard deviations.
Open first: `pairs` (what counts) and `estimate` (the form of every number). Importing this package needs no numpy.
"""
