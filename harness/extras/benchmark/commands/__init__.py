"""The commands of the benchmark. Open the file named after your command."""
