"""Incremental Elo: a rating that each game moves, applied in schedule order (ratings.md, Ratings kept, 1).

Enters: results of games, deal set by deal set. Leaves: a `RatingTable` with the digest of the results it is made from.
Open first: `update` (the change that one game makes). Then `live_ratings` (the ratings of a run while it is played).
"""
