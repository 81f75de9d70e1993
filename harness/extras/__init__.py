"""The optional parts: each folder is a part that the core does not depend on.

Input: nothing; the core finds a part by its `extension.py`, if it has one (`harness.extensions`). Output: commands, and
the modules behind them. A part may import the core and any part that it builds on (tests/test_layering.py lists which).
Delete this folder and a tournament still plays, is stored, rated, reported and verified. Open first: the
docstring of a part's folder.
"""
