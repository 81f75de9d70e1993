"""The commands of the cluster. Open the file named after your command."""
