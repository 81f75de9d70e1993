"""An MCP server for agents, whose tools show one seat's decisions and accept its answers.

The bot `agent_bot` plays in an ordinary run, or as a remote bot with its invitation. It passes each decision over a
Unix socket (`lines`) to the server, which keeps what the agent may know (`desk`) and offers it through tools (`tools`).
The server learns only what the protocol tells the bot, so its process has no hidden cards. `runs` starts the games, and
`stdio` and `http` carry the protocol. Open first: `desk`.
"""
