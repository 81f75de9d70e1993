"""Tests of bowerbird.harness.extras.tables."""
