"""The bot whose decisions an agent makes. The MCP server starts it, or the run that the server starts. Open `agent`."""
