"""The benchmark on the command line."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(
    commands={
        "Play matches": {
            "benchmark": "Measure a bot or an agent on fixed deals.",
        },
    },
)
