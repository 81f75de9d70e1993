"""The commands of the benchmark. Open the one of your command's name."""
