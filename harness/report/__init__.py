"""HTML pages of a run: its report, and replays of its games. Pages never load anything from other sites.

Input: an open store and a run, or a record. Output: pages, as text or files.
Open first: `report_page` (the report and its folder) and `replay_page` (one game). `report_data` and `replay_data`
compute the values on a page; the scripts in `templates` only draw them. `templating` renders the templates.
"""
