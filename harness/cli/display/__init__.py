"""Output for people, and the same as JSON: standings, progress, faults, sequential tests, a replay that keys control.

Input: values of the records, ratings and tournaments. Output: text, tables and JSON documents.
Open first: `standings`. Then `progress` (of a tournament), `faults`, `stepper` (replay by keys).
"""
