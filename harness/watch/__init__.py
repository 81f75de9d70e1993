"""Watching a run while it is played: the service beside the referee, and its client (`watch.proto`).

Enters: steps of tables that somebody watches, and the events of a run. Leaves: frames without hands, results, records
of games whose packs are open, for any number of spectators up to a limit.
Open first: `service` (what is answered), then `subscriptions` (bounded queues), `live_table` (frames from steps).
`client`, `values` and `wire` are the other side; `address` says where the two meet. `harness.tournament` starts the
service and decides what is open (`harness/tournament/open_hands.py`).
"""
