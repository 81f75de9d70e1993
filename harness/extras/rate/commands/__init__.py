"""The commands of ratings of outside results. Open the one of your command's name."""
