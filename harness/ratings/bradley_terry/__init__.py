"""The rating of record: a penalised Bradley-Terry fit of side means and seat advantages, with clustered errors.

Enters: results of games. Leaves: a `Fit`, which gives each rating and each difference as an `Estimate`.
Open first: `fit`. Then `observations` (pairs as arrays), `likelihood` (maximum and covariance), `connectivity` (which
bots can be compared) and `one_sided` (bounds where all results point the same way).
"""
