"""Bots that run elsewhere and dial in over TLS.

Input: TCP connections, tokens and session secrets. Output: participants that play like local ones, over a connection
that outlives its streams. Open first: `admission` (who may join). Then `invitation`, `remote_session`,
`resumable_connection`, `certificate`. Before admission, a connection passes `acceptor` and `remote_server` with `tls`,
within their limits and those of `bowerbird.harness.rate_limit`.
"""
