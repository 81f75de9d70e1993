"""The commands of the seat for agents. Open the file named after your command."""
