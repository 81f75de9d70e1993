"""Watching a run while it is being played: the updates for spectators, and the queues that keep them.

Input: steps of watched tables, and the events of a run. Output: frames without hands, results, records of games whose
packs are open, for any number of spectators up to a limit.

Open first: `values` (the updates), then `feeds` (limited queues), `live_table` (frames from steps). `address` is where
service and client meet; both are in the optional part `harness.extras.watch`. `harness.tournament` starts the service
and decides which packs are open (`harness/tournament/playing/open_hands.py`).
"""
