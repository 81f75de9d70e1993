"""Referees, sessions and bot processes that a test drives, and the fault matrix."""
