"""Pages that one can send: a replay, a report. One HTML file each, with no outside address."""
