"""Records, fault stories and runs as canonical TOML text, and the strict reading of such text.

Input: values, or untrusted text. Output: text that is the same on every machine, or values, or a RecordError or
StoreError. Open first: `canonical` (a record to text) and `reader` (text to a record). `strict_reader` reads any such
text line by line; `beside_text` and `run_text` write and read the other texts of an archive. `bounded_toml` parses
untrusted TOML within bounds.
"""
