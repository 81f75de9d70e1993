"""Executors play the jobs of a run: the referee in this process, a pool of worker processes, both, or other machines.

Input: jobs. Output: each game as it ends. Jobs, tables and games are picklable values.
Open first: `contract` (what every executor does, and how to write another). Then `pool` and, on its other side,
    `worker`; `messages` and `pipe` connect the two. `split` plays tables with remote bots here and the others
    elsewhere. `other_machines` is the interface that an optional part implements to play there (`extras/cluster`).
"""
