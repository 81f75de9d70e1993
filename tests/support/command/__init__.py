"""The `bowerbird` command as a process: on pipes, on a terminal, and as a host of remote bots."""
