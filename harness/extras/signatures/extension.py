"""Signatures as an extension: signed archives, the keys that vouch for runs, and the commands for keys."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(
    commands={
        "Check, correct and share results": {
            "keys": "Show, trust and revoke the keys that vouch for results.",
        },
    },
    adds={"signatures": {"ed25519": "vouching"}},
)
