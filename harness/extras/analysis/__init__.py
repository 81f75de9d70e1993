"""What each decision of a run cost, in points: losses of bots, their costliest mistakes, and the par of a deal.

Input: a complete stored run. Output: a file of figures beside its database, and what it says about each bot. The judge
is champion (`bowerbird.bots.champion.judging`), which this part imports: it needs the bundled bots.
Open first: `measure` (the loss of a decision), `game_analysis` (all of a game), then `analysing` (a run).
"""
