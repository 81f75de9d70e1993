"""What a number on the wire has room for; apart from the messages, whose import takes time that not all have."""

NUMBERS = range(-(1 << 31), 1 << 31)
"""The values of a field of 32 bits with a sign."""
