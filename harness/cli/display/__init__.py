"""Output for people, and the same as JSON: standings, progress, faults, sequential tests, and the step-by-step replay.

Input: values from records, ratings and tournaments. Output: text, tables and JSON documents. Open first: `standings`.
Then `progress` (of a tournament), `faults`, `stepper` (a replay controlled by keys).
"""
