"""The watch service as an extension: spectators of runs that are being played."""

from bowerbird.harness.extensions import Extension

EXTENSION = Extension(adds={"watch": {"grpc": "server"}})
