"""The public API: names under `bowerbird` stay the same from one minor version to the next.

- `bowerbird.sdk`: write a bot, run it, and play games in one process.
- `bowerbird.engine`: the rules: games, actions, and what each seat sees.
- `bowerbird.records`: recorded runs and games: open, read, replay and verify them.
- `bowerbird.ratings`: ratings, points and the sequential test, from recorded results or your own.
- `bowerbird.envs`: environments for learning agents.
- `bowerbird.spectator`: follow a run while another process plays it.
- `bowerbird.watch.v1`: Python stubs for the spectator protocol.
- `bowerbird.seat.v1`: Python stubs for the protocol between bot and referee.

Importing them sets no environment variables and starts no threads. python.md describes them.
"""
