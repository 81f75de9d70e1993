"""The commands of the service of pages. Open the one of your command's name."""
