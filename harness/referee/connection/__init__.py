"""gRPC connections with bots, from the first byte to the last message.

Enters: messages of bots, stamped by gRPC's threads and handed to trio by the mailbox; decisions to ask, from a table.
Leaves: answers and faults, applied to a table; messages to bots, written by a thread for each stream.
Open first: `session` (one bot process in play). Then `participant` (what joins, plays and leaves), `handshake` (a local
process up to Ready), `stream` and `server` (gRPC), `mailbox` (from threads to trio).
"""
