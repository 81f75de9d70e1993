"""The pages of all runs of a database, live, for browsers: `bowerbird serve` (pages.md, Live pages).

Input: the path of a database, read only, and the watch service of runs that are being played (`harness.watch`).
Output: HTML pages, the same pages as JSON, event streams, metrics. It runs in its own process, so nothing that a
browser does can slow a run. Open first: `app` (the addresses) and `server` (how they are served), then `pages` (what
each shows). `limits`, `connections` and `guard` limit what a stranger can request; `changes` and `table_feed` (which
reads `table_stream`) keep open pages up to date.
"""
