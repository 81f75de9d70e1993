"""Coverage and error rates of the ratings, from simulated results with known strengths.

`generators` draws results of games, `truth` computes what a fit to an infinite number of them would find, and `designs`
lists who plays whom how often. None of them uses `harness.ratings`, so a mistake in the fit cannot also be in the
values that it is checked against. `chosen_pairs` plays the designs in which results choose who meets whom. `coverage`,
`family_wise` and `collusion` measure one simulated run, `simulation` repeats it, and `table` prints the figures beside
their targets. `make bench ARGS=ratings` writes results/ratings.json. Open `designs` first.
"""
