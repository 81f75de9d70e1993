"""The command for playing yourself. Open the file named after your command."""
