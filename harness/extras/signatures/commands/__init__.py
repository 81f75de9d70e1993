"""The commands for keys. `keys`."""
