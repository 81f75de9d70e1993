"""The commands of the service of pages. Open the file named after your command."""
