"""From a tournament file to a schedule of jobs and their results."""
