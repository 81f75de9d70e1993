"""Tidy tables of a run for data programs: games, hands, decisions and results as CSV or Parquet.

Input: a stored run. Output: a folder with one file for each table, whole or not at all.
Open first: `columns` (what there is), then `tidy_rows` (how it follows from a record), then `export`.
"""
