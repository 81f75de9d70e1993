"""Standings: ratings of one variant, of all runs together or pooled over variants, and the text of the table cells.

Input: results of games, and counts from the store. Output: a `RatingList`, pooled ratings, and the cells of the tables.
Open first: `rating_list`. Then `ranks` (from ratings), `pool` (one number over several variants), `scopes` (a stored
run, scope by scope) and `text` (cells and sentences, the same in the terminal and on the report page).
"""
