"""The command that seats agents. Open the file named after your command."""
