"""What the watch service adds: spectators of runs that are being played."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(adds={"watch": {"grpc": "server"}})
