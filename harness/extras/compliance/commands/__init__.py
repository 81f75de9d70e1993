"""The commands of the check of bots. Open the one of your command's name."""
