"""Benchmarks of the project's speed, how far it scales, and the strength of the bundled bots.

    system      decisions a second from bare gRPC up to several referees, storage and start-up
    scale       large tournaments, and the pages scale.md and benchmarks.md
    strength    strength of bots, and how many deals it takes to distinguish two of them
    pairing     how many deal sets a ranking needs, with adaptive and other pairings, simulated
    ratings     how often the intervals of the ratings contain the truth, simulated

`engine_speed` measures the rules engine, `environments` the environments for learning agents, and `serve_load` the
pages of a run; `profiling` shows where the time of a decision goes, and `archive_size` measures exports.
`make bench ARGS="PART …"` runs each of them (`__main__` lists the parts). The figures are for people; no test asserts
any of them, except for the ratings. Open `system/all_parts.py` first.
"""

from bowerbird.harness.process_settings import configure_grpc, configure_linear_algebra

# All modules here are programs: gRPC and numpy read their settings when they are imported.
configure_grpc()
configure_linear_algebra()
