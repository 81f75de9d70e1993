"""Gets the beacon of a run from drand: waits for its round, fetches it, and takes it only with the right signature.

Enters: the round that a run has named, and the addresses that serve its chain. Leaves: the beacon. It never falls back:
without the round it waits. Open first: `waiting`. Then `fetching`, one try with bounds on time and size.
"""
