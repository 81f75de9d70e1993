"""Adaptive pairing, which chooses the next deal set from the results so far (docs/explanation/pairing.md).

Input: bots with prior ratings, tables at which they can meet, results of deal sets. Output: batches of deal sets, each
with the reason for its choice. No clock, no files, and the same numbers on every machine. Open first: `scheduler` (the
choice), then `beliefs` (knowledge of the ratings), `time_ledger` (the time each bot has used), `planner` (rounds of a
run), `replay` (repeats the rounds of a stored run for `bowerbird verify`).
"""
