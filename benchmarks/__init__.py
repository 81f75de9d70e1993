"""Benchmarks: how fast the project is, how far it scales, and how strong the bundled bots are.

    system      decisions a second from bare gRPC up to several referees, storage and start-up
    scale       large tournaments, and the pages scale.md and benchmarks.md
    strength    strength of bots, and how many deals it takes to tell two apart
    pairing     how many deal sets a ranking needs, adaptive against other pairings, simulated
    ratings     how often the intervals of the ratings hold the truth, simulated

`engine_speed` measures the rules engine, `environments` those for learning agents, `serve_load` the pages of a run;
`profiling` shows where the time of a decision goes, and `archive_size` sizes exports. `make bench ARGS="PART …"` runs
each of them (`__main__` lists the parts). The figures are for people; no test asserts one, except those of the ratings.
Open `system/all_parts.py` first.
"""

from bowerbird.harness.process_settings import configure_grpc, configure_linear_algebra

# All modules here are programs: gRPC and numpy read their settings when they are imported.
configure_grpc()
configure_linear_algebra()
