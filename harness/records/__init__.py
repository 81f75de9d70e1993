"""Records of games: values, text, replay, store, verification, archives.

Each subpackage states its input, its output and which file to open first. The lowest layer is `values`; above it are
`text`, `replay`, `store`, `verify`, `archive` and `notation`. `quoting` escapes untrusted text, and `errors` contains
the store's error.
"""
