"""The command for playing yourself. Open the one of your command's name."""
