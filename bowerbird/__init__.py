"""What other programs import: names under `bowerbird` stay the same from one minor version to the next.

- `bowerbird.sdk`: write a bot, run it, and play games in one process.
- `bowerbird.engine`: the rules: games, actions, views of seats.
- `bowerbird.records`: recorded runs and games: open, read, replay, verify.
- `bowerbird.ratings`: ratings, points and the sequential test, from recorded results or others.
- `bowerbird.spectator`: follow a run while another process plays it.
- `bowerbird.watch.v1`: the Python stubs of the protocol of spectators.
- `bowerbird.seat.v1`: the Python stubs of the protocol between bot and referee.

Importing any of them changes no environment variable and starts no thread. python.md describes them.
"""
