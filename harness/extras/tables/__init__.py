"""Tidy tables of a run for data programs: games, hands, decisions and results as CSV or Parquet.

Input: a stored run. Output: a folder with a complete file for each table, or nothing. Open first: `columns` (the
tables), then `tidy_rows` (their rows from a record), then `export`.
"""
