"""A plain heuristic player."""
