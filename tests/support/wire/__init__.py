"""Messages of the protocol, and bots that answer them in this process."""
