"""Clients of the MCP seat for tests."""
