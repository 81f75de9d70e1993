"""The watch service of a run, over gRPC on a local socket, and its client (watch.md).

Input: a `WatchSource`, which core's `tournament.run_watch` is. Output: its runs, tables and updates as messages of
`bowerbird.watch.v1`, and at the client the values of `harness.watch` again. Open first: `service`, which `server`
starts, then `client`; both translate with `wire`.
"""
