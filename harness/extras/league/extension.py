"""The league's commands on the command line."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(
    commands={
        "Leagues and other machines": {
            "league": "Run a league that never ends.",
        },
    },
)
