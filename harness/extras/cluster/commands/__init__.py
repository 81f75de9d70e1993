"""The commands of the cluster. Open the one of your command's name."""
