"""Tournament files, and tables and results without bot processes."""
