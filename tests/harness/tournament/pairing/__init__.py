"""Tests of adaptive pairing."""
