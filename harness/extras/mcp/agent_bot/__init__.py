"""The bot whose decisions an agent makes. The MCP server, or a run that the server starts, starts it. Open `agent`."""
