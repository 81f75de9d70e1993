"""A benchmark with citable results: fixed deal sets against a ladder of bundled bots. Open first: `terms`."""
