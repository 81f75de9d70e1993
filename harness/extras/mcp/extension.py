"""The command that seats agents, on the command line."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(
    commands={
        "Leagues and other machines": {
            "mcp": "Let an agent play, over MCP.",
        },
    },
)
