"""Tests of the watch service."""
