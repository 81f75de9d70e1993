"""Finds results between two bots that their other results don't predict.

Input: results of games and a fit. Output: flags, each with its p-value.
Open first: `collusion`. `meetings` prepares its input, and `expectation` does its arithmetic.
"""
