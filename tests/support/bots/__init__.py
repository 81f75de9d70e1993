"""Bots that tests start as processes: hostile bots, wayward bots, and builds of the bundled bots."""
