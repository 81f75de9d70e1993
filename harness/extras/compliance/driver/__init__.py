"""The referee's side of a compliance check: the bot's processes, their connections, and games played with them.

Input: a bot, and scenarios to play. Output: the bot's messages and its failures. Open first: `bot_under_test`. Then
`game_runner` and `game` (games), `connection` (one process and its stream), `process_host` (starts and ends processes),
`mutators` (messages of a later protocol version).
"""
