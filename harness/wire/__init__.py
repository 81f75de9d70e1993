"""Engine values to and from the messages of the seat protocol."""
