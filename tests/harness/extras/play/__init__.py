"""A person at a seat: the setup, the follower, the words, the session and its faces."""
