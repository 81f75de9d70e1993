"""The commands of the check of bots. Open the file named after your command."""
