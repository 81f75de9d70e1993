"""The command that rates outside results. Open the file named after your command."""
