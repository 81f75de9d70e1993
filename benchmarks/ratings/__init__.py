"""Coverage and error rates of the ratings, simulated with made-up results whose truth is known.

`generators` draws results of games, `truth` says what a fit to an endless number of them finds, and `designs` lists who
plays whom how often. None of them uses `harness.ratings`, so a mistake in the fit cannot hide in what it is checked
against. `chosen_pairs` plays the designs in which results choose who meets whom. `coverage`, `family_wise` and
`collusion` measure one simulated run, `simulation` repeats it, and `table` prints the figures beside their targets.
`make bench ARGS=ratings` writes results/ratings.json. Open `designs` first.
"""
