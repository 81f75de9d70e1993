"""Bowerbird: referee, tournaments, records and ratings for the Euchre family."""
