"""What other programs import: names under `bowerbird` stay the same from one minor version to the next.

Start with `bowerbird.seat.v1`, the Python stubs of the protocol between bot and referee.
"""
