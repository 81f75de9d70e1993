"""The command for keys. Open `keys` first."""
