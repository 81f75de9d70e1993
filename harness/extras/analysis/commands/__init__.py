"""The commands of the analysis. Open the one of your command's name."""
