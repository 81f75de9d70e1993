"""Measures the cost of each decision of a run in points: bots' losses, their costliest mistakes, the par of a deal.

Input: a complete stored run. Output: a file of figures beside its database, and a profile of each bot. The judge is
champion (`bowerbird.bots.champion.judging`), so this part needs the bundled bots.
Open first: `measure` (the loss of a decision), `game_analysis` (all of a game), then `analysing` (a run).
"""
