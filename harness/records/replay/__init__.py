"""Replays games from their records: checks them against the rules, and shows them step by step.

Input: a record. Output: its steps, pictures of the table (`frames`) or lines for a terminal (`render`); or a
RecordError if its play breaks the rules.
Open first: `replay`. Then `visibility` (what one seat saw), `frames`, `render`; `words` describes actions in words, and
`story_check` compares fault stories with their game.
"""
