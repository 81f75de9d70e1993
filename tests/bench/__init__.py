"""Benchmarks of the whole: what `make bench`, `make profile` and `make bench-million` run (issue 8).

The figures are for people; no test asserts one. Each part measures processes of its own, started afresh for each round.
"""
