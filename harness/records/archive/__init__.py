"""A whole run as one file: writing it, reading it without trust, and merging it into a database.

Input: a stored run, or an untrusted archive. Output: an archive, with the same bytes for the same run; or a stored
run. Open first: `archive` (writing and reading). Then `merge` (import).
"""
