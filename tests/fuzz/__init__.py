"""Fuzzing that stays: `make fuzz`. What a test here finds becomes a test of an ordinary tier, with its input."""
