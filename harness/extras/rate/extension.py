"""Ratings of outside results, on the command line."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(
    commands={
        "Look at results": {
            "rate": "Rate another program's results.",
        },
    },
)
