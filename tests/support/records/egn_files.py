"""A small game in EGN, for tests to change."""

from __future__ import annotations

from typing import Any


def base() -> dict[str, Any]:
    """Return a game of one deal of which every card is known: seat 1 orders, and makes a march."""
    return {
        "fileType": "Euchre Game Notation",
        "version": "1.4",
        "metadata": {
            "players": ["Ann", "Bob", {"name": "Cid", "playerIds": [{"id": "7", "source": "club"}]}, "Dee"],
            "initialScore": [0, 0],
            "finalScore": [0, 2],
            "ruleset": {"num_deals": 1},
        },
        "deals": [
            {
                "dealNumber": 0,
                "initialState": {
                    "dealer": 0,
                    "upCard": "9h",
                    "playerCards": [
                        ["Ts", "9s", "Qc", "Tc", "9d"],
                        ["Jh", "Jd", "Ah", "As", "Ks"],
                        ["Kc", "9c", "Td", "Qd", "Qs"],
                        ["Kh", "Qh", "Kd", "Ad", "Ac"],
                    ],
                },
                "phases": [
                    {"phaseNumber": 0, "type": "EUCHRE_BIDDING", "calls": ["Order"], "discard": "9d"},
                    {
                        "phaseNumber": 1,
                        "type": "TRICK_PLAY",
                        "tricks": [
                            ["Jh", "9c", "Qh", "9h"],
                            ["Jd", "Td", "Kh", "9s"],
                            ["Ah", "Qd", "Kd", "Tc"],
                            ["As", "Qs", "Ad", "Ts"],
                            ["Ks", "Kc", "Ac", "Qc"],
                        ],
                    },
                ],
            }
        ],
    }
