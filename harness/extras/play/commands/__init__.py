"""The commands of playing oneself. Open the one of your command's name."""
