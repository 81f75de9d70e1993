"""Executors play the jobs of a run: the referee in this process, a pool of worker processes, or a cluster.

Enters: jobs. Leaves: each game as it ends. Jobs, tables and games are picklable values.
Open first: `contract` (what every executor does, and how to write another). Then `pool` and, on its other side,
`worker`; `messages` and `pipe` are what the two send each other. `cluster` plays on other machines.
"""
