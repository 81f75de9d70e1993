"""What a Python bot author imports."""
