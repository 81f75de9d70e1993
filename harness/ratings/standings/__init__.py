"""Standings: ratings over one variant, all together or several pooled, and the text of the table cells.

Input: results of games, and counts from the store. Output: a `RatingList`, pooled ratings, the cells of the tables.
Open first: `rating_list`. Then `ranks` (from ratings), `pool` (one number over several variants), `scopes` (a stored
run, scope by scope) and `text` (cells and sentences, the same in the terminal and on the report page).
"""
