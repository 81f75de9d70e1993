"""Records, stores and archives, and the writer of the games in tests/fixtures."""
