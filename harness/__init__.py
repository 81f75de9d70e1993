"""Everything that runs: referee, tournaments, records, ratings, reports, the command, and the SDK for Python bots."""
