"""Results between two bots that their other results do not predict.

Input: results of games and a fit. Output: flags, each with its p-value.
Open first: `collusion`; `meetings` is its input and `expectation` its arithmetic.
"""
