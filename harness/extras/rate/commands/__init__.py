"""The commands of ratings of outside results. Open the file named after your command."""
