"""Rounds of drand as beacons: how a run names one, how `bowerbird verify` checks it, and how a league waits for it.

Input: the source that a run names, its beacon, the time of its commitment. Output: a `Round` with its time and the text
of its beacon, and whether its signature is right. `rounds` uses no network, and `signature` needs the extra `beacon`.
`beacon` offers both to the core. `waiting` waits for the beacon of a round for as long as it takes; `fetching` makes
one attempt, limited in time and size. Open first: `rounds`, then `beacon`.
"""
