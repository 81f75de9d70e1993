"""Euchre Game Notation for `bowerbird export`, `import` and `replay`."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(adds={"notation": {"egn": "notation"}, "match": {"emn": "match"}})
