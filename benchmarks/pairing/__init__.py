"""`make bench ARGS=pairing`: how many deal sets a ranking needs, with the adaptive and other ways to pair, simulated.

Input: seeds. Output: results/pairing.json, and the tables of docs/internals/rating-checks.md. Open first: `world`
(simulated bots of known strength), then `methods` (who meets whom) and `studies` (the measurements).
"""
