"""Bots that run elsewhere and dial in over TLS.

Enters: TCP connections, tokens and session secrets.
Leaves: participants that play like local ones, over a connection that outlives its streams.
Open first: `admission` (who may come in). Then `remote_session`, `resumable_connection`, `tls_proxy`, `certificate`.
"""
