"""Translates between the engine's values and the messages of the seat protocol (`bowerbird.seat.v1`).

`encode` turns views, actions and results into messages; `decode` reads them back. Both share the field declarations of
`view_fields`, the enum tables of `enums` and the small values of `values`. `protobuf` encodes single fields to bytes.
Start with `encode`.

Importing this package loads no generated stubs, so `INT32` is cheap to import.
"""

INT32 = range(-(1 << 31), 1 << 31)
"""The numbers that fit into a signed 32-bit field."""


class WireError(ValueError):
    """A value that cannot be sent, or a message without a meaning. The text is one sentence for people."""
