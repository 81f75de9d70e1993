"""Shared test helpers, one package for each part of the project. No test module imports another.

`paths` holds the paths of the checkout, `chromium` drives a browser. Each package below says what it holds. Benchmarks
may use the helpers, too.
"""
