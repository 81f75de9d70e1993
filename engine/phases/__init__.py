"""The procedures that variants share (RULES.md Part B); each module names the part it follows."""
