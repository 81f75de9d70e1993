"""Transcripts of whole games: every message of one bot's stream, to read, parse and replay.

Input: a bot that is ready to start. Output: a file with the messages in both directions, or a comparison of a bot's
answers with the answers in such a file. Open first: `transcript_file` (the format). Then `recording` (plays a game and
records it) and `playing` (feeds the referee's messages to a bot). Both start bots with
`harness.extras.compliance.driver`.
"""
