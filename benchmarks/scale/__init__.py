"""The cost of a large tournament: time, memory, disk and network.

`million` plays 1,000,000 decisions and measures from outside; `cost` measures the terms of the cost model. Both write
JSON into results/, from which `page` writes the `tables` of results/scale.md. Open `cost` first.
"""
