"""What the service of pages adds to the command line."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(
    commands={
        "Look at results": {
            "serve": "Show runs to browsers, also while they are played.",
        },
    },
)
