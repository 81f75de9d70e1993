"""The contents of the pages, as values for a template and for programs.

Input: the store, live runs, the address of a request. Output: `Content`. Open first: `run_pages`, then `season_view` (a
season of a league, for `league_pages` and `league_bot_page`). `reports` caches the computed values.
"""
