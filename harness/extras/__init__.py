"""What can be left out: each folder is an optional part, which core does not know.

Input: nothing; core finds a part by its `extension.py`, if it has one (`harness.extensions`). Output: commands, and
the modules behind them. A part may import core and, if it is built on one, another part (tests/test_layering.py lists
which). Delete this folder and a tournament still plays, is stored, rated, reported and verified. Open first: the
docstring of a part's folder.
"""
