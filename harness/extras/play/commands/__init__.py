"""The command that lets you play. Open the file named after your command."""
