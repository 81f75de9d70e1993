"""The network of a bot in a sandbox: one host, reached through a broker (isolate-bots.md).

Input: a host and a port that the organiser grants. Output: a Unix socket, which connects its clients to that host and
to nothing else. Open first: `broker`, which starts the process. `broker_main` is the process itself, and `target`
checks hosts and their addresses.
"""
