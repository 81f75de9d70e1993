"""Bots that come with Bowerbird."""
