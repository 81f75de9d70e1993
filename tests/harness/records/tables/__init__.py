"""Tests of bowerbird.harness.records.tables."""
