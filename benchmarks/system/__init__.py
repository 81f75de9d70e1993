"""`make bench`: all parts of the system, measured in rounds, with medians and their aims.

A `Part` (`part`) measures some `Figure`s (`figures`) once in each round, in separate processes. `all_parts` lists the
parts: decisions (a) to (e), storage (f) to (h) and start-up (i). `grpc_process` and `tournament_process` are the
programs that parts start. Results go to results/bench.json. Open `all_parts` first.
"""
