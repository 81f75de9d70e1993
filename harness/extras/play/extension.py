"""The command that lets you play, on the command line."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(
    commands={
        "Play matches": {
            "play": "Play against bots yourself.",
        },
    },
)
