"""What the service of pages adds to the command line."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(
    commands={
        "Look at results": {
            "serve": "Serve web pages of runs, live while they are played.",
        },
    },
    libraries=("hypercorn", "starlette"),
)
