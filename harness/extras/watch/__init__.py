"""The watch service of a run, over gRPC on a local socket, and its client (watch.md).

Input: a `WatchSource`, such as the core's `tournament.run_watch`. Output: its runs, tables and updates as messages of
`bowerbird.watch.v1`, which the client turns back into values of `harness.watch`. Open first: `service`, which `server`
starts, then `client`; both translate with `wire`.
"""
