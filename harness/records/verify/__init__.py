"""Verification: replays every recorded game and reports every difference.

Input: a stored run or a record (`archive.merge` verifies archives). Output: differences, each with its place.
Open first: `verification` (a run). Then `game_checks` (one game), `beacons`, `examiner` (where games are examined),
`pool` (several processes).
"""
