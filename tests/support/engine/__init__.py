"""Games and written hands for the tests of the rules."""
