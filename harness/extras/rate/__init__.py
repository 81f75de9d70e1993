"""Rates results from elsewhere, for `bowerbird rate` (ratings.md, Results of other programs).

Input: a file of games, PGN or CSV, or counts of two players. Output: a rating list with its errors, or their strength.
Open first: `outside_games`, which reads a file. Then `outside_ratings`, which rates it with the same fit, errors and
ranks as Bowerbird's own games, and `counts`, for bare counts. `commands` prints both.
"""
