"""The commands that check bots, on the command line."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(
    commands={
        "Write a bot": {
            "check-bot": "Check whether a bot follows the protocol.",
            "ask": "Ask a bot for one decision of a recorded game.",
            "transcript": "Write every message of a bot's short game to a file.",
            "play-transcript": "Feed a transcript to a bot and compare its answers.",
        },
    },
)
