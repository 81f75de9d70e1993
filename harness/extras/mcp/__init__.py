"""Seats agents: an MCP server whose tools show one seat's decisions and take its answers.

The bot `agent_bot` plays in an ordinary run, or as a remote bot by its invitation. It hands each decision over a Unix
socket (`lines`) to the server, which keeps what the agent may know (`desk`) and offers it as tools (`tools`). The
server is told only what the protocol tells the bot: there are no hidden cards in its process. `runs` starts what is
played; `stdio` and `http` carry the protocol. Open first: `desk`.
"""
