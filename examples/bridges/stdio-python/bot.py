"""A bot that speaks JSON lines (bridges.md) and imports nothing from Bowerbird: it plays its highest card."""

import json
import sys

RANKS = "23456789TQKAJ"


def choose(legal: list[str]) -> str:
    """Return the card of the highest rank, or in the bidding the first action, which is a pass."""
    cards = [token for token in legal if token.startswith("play ")]
    return max(cards, key=lambda token: RANKS.find(token[5])) if cards else legal[0]


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"ready": True}), flush=True)
    elif message["type"] == "decision":
        print(json.dumps({"id": message["id"], "action": choose(message["legal"])}), flush=True)
