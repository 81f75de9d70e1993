"""Rounds of drand as beacons of runs: what a run names, what `bowerbird verify` checks, and how a league waits for one.

Input: the source that a run names, its beacon, the time of its commitment. Output: a `Round` with its moment and the
text of its beacon, and whether its signature is right. `rounds` uses no network; `signature` needs the extra `beacon`.
`beacon` offers both to core. `waiting` gets the beacon of a round and never falls back: without the round it waits;
`fetching` is one try with bounds on time and size. Open first: `rounds`, then `beacon`.
"""
