"""A run while it is being played.

Input: a prepared run (`harness.tournament.start`). Output: stored deal sets, events, and the games that may be watched.
Open first: `runner`, then `run`. `run_watch` and `open_hands` decide what the watch service shows.
"""
