"""`make bench ARGS=pairing`: how many deal sets a ranking needs, adaptive against other ways to pair, simulated.

Input: nothing but seeds. Output: results/pairing.json, and the tables of docs/internals/rating-checks.md.
Open first: `world` (fake bots of known strength), then `methods` (who meets whom), `studies` (what is measured).
"""
