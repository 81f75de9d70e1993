"""The commands of the seat for agents. Open the one of your command's name."""
