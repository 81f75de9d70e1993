"""Tests of bowerbird.harness.extras.rate."""
