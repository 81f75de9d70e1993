"""What the tidy tables add to `bowerbird export`."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(adds={"tables": {"csv": "export", "parquet": "export"}})
