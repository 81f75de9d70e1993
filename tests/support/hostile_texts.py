"""Texts for files of an organiser or an author that nobody sane writes."""

from __future__ import annotations

NESTED = "[" * 4000
LONG = "k" * 6_000
SPACED = "k " * 3_000
QUOTES = "'\\\" " * 1_500

HOSTILE = [
    template.format(x=x)
    for x in (LONG, SPACED, QUOTES)
    for template in (
        '"{x}" = 1',
        '["{x}"]\na = 1',
        '[["{x}"]]\na = 1',
        'name = "{x}"',
        '[tournament]\n"{x}" = 1',
        '[tournament]\nname = "{x}"',
        '[tournament]\nunit = "{x}"',
        '[tournament]\nsets = "{x}"',
        '[tournament]\nmax_share = "{x}"',
        '[tournament]\nbeacon_source = "drand {x}"',
        '[time]\nper_decision = "{x}"',
        '[[variant]]\nname = "{x}"',
        '[[variant]]\nname = "buck"\noptions = {{ "{x}" = 1 }}\n[[bot]]\npath = "greedy"\n[[bot]]\npath = "random"',
        '[[bot]]\npath = "{x}"',
        '[[bot]]\npath = "greedy"\n"{x}" = 1',
        '[league]\n"{x}" = 1',
        '[league]\nepoch = "{x}"',
        '[league]\nepoch = "1 set"\ndrand = "{x}"',
        'command = ["{x}"]\nname = "a"\ncwd = "{x}"',
        'command = ["{{{x}}}"]\nname = "a"',
        'command = ["x"]\nname = "a"\nvariants = ["{x}"]',
        'command = ["x"]\nname = "a"\nfiles = ["{x}"]',
        'command = ["x"]\nname = "a"\n[environment]\n"BOWERBIRD_{x}" = "1"',
        'command = ["x"]\nname = "a"\n[sandbox]\nnetwork = "{x}"',
    )
] + [
    '[league]\nepoch = "' + "9" * 400 + 'h"',
    '[time]\nper_decision = "' + "9" * 400 + 'h"',
    f"a = {NESTED}",
    "[" * 4000,
    "a." * 3000 + "b = 1",
    "a = 0x" + "f" * 20_000,
    "a = 1e99999",
    "[tournament]\nsets = " + "9" * 4000,
    'name = "a"\ncommand = ["x\\u0000"]',
    'name = "a"\ncommand = ["x"]\ncwd = "\\u0000"',
    'name = "a"\ncommand = ["x"]\nfiles = ["\\u0000"]',
    'name = "a"\ncommand = ["x"]\nversion = "\\u0000"',
    '[[variant]]\nname = "buck"\n[[bot]]\npath = "\\u0000"\n[[bot]]\npath = "random"',
]
