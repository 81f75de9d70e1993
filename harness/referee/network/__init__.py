"""The network of a bot in a sandbox: one host, reached through a broker (isolate-bots.md).

Input: a host and a port that the organiser grants. Output: a Unix socket; whoever connects to it is connected to that
host and to nothing else. Open first: `broker`, the process from outside. `broker_main` is the process itself, and
`target` says which hosts may be named and which addresses a name may have.
"""
