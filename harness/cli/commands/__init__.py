"""One file for each command of `bowerbird`, imported when it is used.

Input: the command line, parsed by click. Output: an exit code, a result on stdout, and everything else on stderr.
Open first: `tournament`. Shared options and helpers are in `bowerbird.harness.cli.shared`, output for people in
`bowerbird.harness.cli.display`. A module here imports little at its top, so that `--help` starts fast.
"""
