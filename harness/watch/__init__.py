"""Watching a run while it is being played: what spectators get, and how it is kept for them.

Input: steps of tables that somebody watches, and the events of a run. Output: frames without hands, results, records
of games whose packs are open, for any number of spectators up to a limit.

Open first: `values` (what is told), then `feeds` (bounded queues), `live_table` (frames from steps). `address` says
where service and client meet; both are in the optional part `harness.extras.watch`. `harness.tournament` starts the
service and decides what is open (`harness/tournament/playing/open_hands.py`).
"""
