"""The rules of the Euchre family."""
