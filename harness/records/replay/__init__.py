"""Replays games from their records: checks them against the rules and shows them step by step.

Input: a record. Output: its steps, pictures of the table (`frames`) or lines for a terminal (`render`); RecordError if
its play breaks the rules.
Open first: `replay`. Then `visibility` (what one seat saw), `frames`, `render`; `words` puts actions into words,
`story_check` compares fault stories with their game.
"""
