"""Tests of bowerbird.harness.extras.league."""
