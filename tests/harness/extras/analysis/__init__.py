"""Tests of bowerbird.harness.extras.analysis."""
