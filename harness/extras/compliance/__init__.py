"""Checks a bot against the seat protocol, sentence by sentence (seat.proto).

Enters: a bot that is ready to start (`config`). Leaves: a `SentenceResult` for each numbered sentence of `sentences`.
`check` starts the bot's processes and talks to them as a referee would; it plays no rated game and records nothing.
Open first: `check` and `sentences`. Then `checks` (what is tried) and `driver` (the referee's side of it).
`transcripts` are recorded and played with the same driver, and `asking` puts a bot before a recorded decision.
"""
