"""The commands of the league. Open the one of your command's name."""
