"""The sequential test: is one bot stronger than another by `elo0` or by `elo1` (ratings.md, Sequential test)?

Input: results of two bots' deal sets. Output: a `SequentialDecision` with its log-likelihood ratio, and estimates of
the difference.
Open first: `sprt`. Then `set_values` (deal sets as numbers) and `likelihood_ratio` (the generalised likelihood ratio).
"""
