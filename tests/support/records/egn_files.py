"""A small game in EGN and a match of two, for tests to change."""

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


def match() -> dict[str, Any]:
    """Return a match of two games of `base`. In the second the teams have changed seats, and Eve plays for Ann."""
    return {
        "fileType": "Euchre Match Notation",
        "version": "1.2",
        "metadata": {
            "matchId": "finals",
            "title": "Finals",
            "date": "2026-07-19T19:00:00Z",
            "teams": [{"id": "a", "name": "Aces", "playerIds": ["p-01", "p-03"], "color": "#E53E3E"}],
            "players": [
                {"id": f"p-{number:02}", "name": name}
                for number, name in enumerate(("Ann", "Bob", "Cid", "Dee", "Eve"), start=1)
            ],
            "matchFormat": {"type": "BEST_OF_N", "target": 3},
            "result": {"status": "COMPLETED", "winner": ["a"], "scores": {"a": 2}},
        },
        "games": [
            {"gameIndex": 0, "playersOverride": ["p-01", "p-02", "p-03", "p-04"], "gameData": base()},
            {"gameIndex": 1, "playersOverride": ["p-02", "p-05", "p-04", "p-03"], "gameData": base()},
        ],
    }
