"""Launches bots, seats them, keeps the clock and the rules."""
