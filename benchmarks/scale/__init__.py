"""The cost of a large tournament: time, memory, disk and network.

`million` plays 1,000,000 decisions and measures from outside; `cost` measures the terms of the cost model; `cluster`
plays through Dask. `forecast` simulates a cluster with what they found (`simulation`). Each writes JSON into results/,
from which `page` writes the `tables` of scale.md and benchmarks.md. Open `cost` first.
"""
