"""Elo and its errors."""
