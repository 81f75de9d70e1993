"""What Euchre Game Notation adds to `bowerbird export`, `import` and `replay`."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(adds={"notation": {"egn": "notation"}, "match": {"emn": "match"}})
