"""The smallest bot in Python: it plays at random."""
