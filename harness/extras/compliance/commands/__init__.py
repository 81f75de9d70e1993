"""The commands that check bots. Open the file named after your command."""
