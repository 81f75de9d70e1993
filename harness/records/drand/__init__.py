"""Rounds of drand as beacons: when each comes, how a run names it, and whether a signature is that of the round.

Enters: the source that a run names, its beacon, the time of its commitment. Leaves: a `Round` with its moment and the
text of its beacon, and whether its signature is right. No network: who fetches rounds is in `harness.tournament.drand`.
Open first: `rounds`. Then `signature`, which needs the extra `beacon`.
"""
