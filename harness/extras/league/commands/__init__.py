"""The commands of the league. Open the file named after your command."""
