"""Recorded games and runs as plain frozen values. No I/O. The rest of `bowerbird.harness.records` builds on them.

Open first: `game_record` (one game). Then `run` (runs, deal sets, ids), `faults` (kinds, policies, diagnostics),
`outcome` (how games end), `game_result` (input of ratings), `query_results` (answers of the store).
"""
