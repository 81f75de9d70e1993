"""The commands for keys. Open the one of your command's name."""
