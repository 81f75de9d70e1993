"""What the fuzzing harnesses share: how inputs are drawn."""
