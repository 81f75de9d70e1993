"""Beacons of drand, which can be checked, for runs."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(adds={"beacon": {"drand": "beacon"}})
