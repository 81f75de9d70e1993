"""Tests of harness.records.tables."""
