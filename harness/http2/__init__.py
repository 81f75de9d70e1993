"""HTTP/2 (RFC 9113) and gRPC on top of it, without I/O: bytes come in and messages go out, and vice versa.

`frames` and `grpc_words` have what both sides write. `server` is the referee's side of a connection with many calls,
`client` the side of one that makes a single call. Sockets are elsewhere. Start with `frames`.
"""
