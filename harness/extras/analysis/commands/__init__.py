"""The commands of the analysis. Open the file with your command's name."""
