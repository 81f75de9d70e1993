"""Which versions of the protocol this SDK speaks."""

PROTOCOLS = (1,)
SPOKEN = ", ".join(map(str, PROTOCOLS))
"""The same for people."""
