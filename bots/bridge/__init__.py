"""The common part of the bridges: an ordinary bot in front of a program that uses JSON instead of gRPC.

`bots.stdio` talks to a program over its stdin and stdout, `bots.http` to a service by POST. Input: decisions, ends of
hands and ends of games. Output: messages of bridges.md, whose answers come back as choices. Failures of the other side
become the bridge's own faults (`LateError`, `EndedError`). Open first: `messages`, then `bot`.
"""
