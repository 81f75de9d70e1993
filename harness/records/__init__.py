"""Records of games: values, text, store, replay, verification."""
