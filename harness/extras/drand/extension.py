"""What drand adds: beacons of runs that can be checked."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(adds={"beacon": {"drand": "beacon"}})
