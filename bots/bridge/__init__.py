"""What the bridges share: an ordinary bot in front of a program that speaks JSON instead of gRPC.

`bots.stdio` speaks to a program over its stdin and stdout, `bots.http` to a service by POST. Decisions, ends of hands
and ends of games enter; messages of bridges.md go out, and answers come back as choices. What goes wrong on the other
side becomes the bridge's own fault (`LateError`, `EndedError`). Open first: `messages`, then `bot`.
"""
