"""A benchmark that one can cite: fixed deal sets against a ladder of bundled bots. Open first: `terms`."""
