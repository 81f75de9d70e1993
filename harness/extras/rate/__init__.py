"""Rates results that were played elsewhere: `bowerbird rate` (ratings.md, Results of other programs).

`outside_games` reads the games of a file, PGN or CSV. `outside_ratings` rates them with the same fit, errors and ranks
as games of Bowerbird, and `counts` does so for bare counts of two players. `commands` prints it.
"""
