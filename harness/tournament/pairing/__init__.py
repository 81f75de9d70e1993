"""Adaptive pairing: which deal set is played next, from the results so far (docs/explanation/pairing.md).

Input: bots with prior ratings, tables at which they can meet, results of deal sets. Output: batches of deal sets, each
with the reason for its choice. Pure: no clock, no files, and the same numbers on every machine.
Open first: `scheduler` (the choice), then `beliefs` (what is known of ratings), `time_ledger` (who has used how much
time), `planner` (rounds of a run), `replay` (the rounds of a stored run again, for `bowerbird verify`).
"""
