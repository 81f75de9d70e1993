"""Tests of harness.league."""
