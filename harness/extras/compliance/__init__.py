"""Checks a bot against the seat protocol, requirement by requirement (seat.proto).

Input: a bot that is ready to start (`config`). Output: a `RequirementResult` for each of the numbered `requirements`.
`check` starts the bot's processes and talks to them as a referee would. It plays no rated games and records nothing.
Open first: `check` and `requirements`. Then `checks` (the tests) and `driver` (the referee's side of them).
`transcripts` records and replays transcripts with the same driver, and `asking` asks a bot for one decision of a
recorded game.
"""
