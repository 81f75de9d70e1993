"""The cost of a large tournament: time, memory, disk and network.

`million` plays 1,000,000 decisions and measures from outside; `cost` measures the terms of the cost model; `cluster`
plays through Dask. `forecast` simulates a cluster from their results (`simulation`). Each writes JSON to results/;
`page` turns it into the `tables` of scale.md and benchmarks.md. Open `cost` first.
"""
