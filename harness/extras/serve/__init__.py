"""The pages of all runs of a database, live, for browsers: `bowerbird serve` (pages.md, Live pages).

Input: the path of a database, read only, and the watch service of runs that are being played (`harness.watch`).
Output: HTML pages, the same as JSON, streams of events, metrics. A process of its own: nothing that a browser does can
slow the clock of a run.
Open first: `app` (the addresses) and `server` (how they are served), then `pages` (what each shows).
`limits`, `connections` and `guard` hold what a stranger may ask for; `changes` and `table_feed` (which
reads `table_stream`) make pages move.
"""
