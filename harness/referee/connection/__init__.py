"""gRPC connections with bots, from the first byte to the last message.

Input: bytes from bots, stamped on arrival; decisions to ask, from a table. Output: answers and faults, applied to a
table; messages to bots, one write per turn. Open first: `session` (one bot process in play). Then `participant` (a
process that joins, plays and leaves), `handshake` (a local process up to Ready), `link` (a connection and its calls;
`link_stream` is a bot's connection, `harness.http2` its frames), `seat_door` (who may connect), `local_server` (the
address of a local bot), `mailbox` (turns to send).
"""
