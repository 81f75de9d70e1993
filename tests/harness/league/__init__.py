"""Tests of bowerbird.harness.league."""
