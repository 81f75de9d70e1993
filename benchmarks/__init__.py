"""Benchmarks: how fast the project is, how far it scales, and how strong the bundled bots are.

    system      `make bench`: decisions a second from bare gRPC up to several referees, storage and start-up
    scale       `make bench-million`, `bench-cost`, `bench-cluster`, `bench-forecast` and `scale-page`: large
                tournaments, and the page scale.md
    strength    `make ladder` and `bench-power`: strength of bots, and how many deals it takes to tell two apart
    pairing     `make bench-pairing`: how many deal sets a ranking needs, adaptive against other pairings, simulated
    ratings     `make bench-ratings`: how often the intervals of the ratings hold the truth, simulated

`engine_speed` (`make bench-engine`) measures the rules engine, `environments` (`make bench-envs`) those for learning
agents, `profiling` (`make profile`) shows where the time of a
decision goes, and `archive_size` sizes exports. The figures are for people; no test asserts one, except those of the
ratings. Open `system/all_parts.py` first.
"""

from harness.process_settings import configure_grpc, configure_linear_algebra

# All modules here are programs: gRPC and numpy read their settings when they are imported.
configure_grpc()
configure_linear_algebra()
