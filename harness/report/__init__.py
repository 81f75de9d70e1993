"""Standings and replay pages."""
