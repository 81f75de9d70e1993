"""The `bowerbird` command: one module for each command, imported when it is used (CLI.md, Commands)."""
