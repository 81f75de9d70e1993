"""The one deadline of everything that a test waits for."""

DEADLINE_S = 600
"""Only a defect reaches it, however busy the machine is. A test as a whole ends after `timeout` in pyproject.toml."""
