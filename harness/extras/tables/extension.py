"""The tidy tables for `bowerbird export`."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(adds={"tables": {"csv": "export", "parquet": "export"}})
