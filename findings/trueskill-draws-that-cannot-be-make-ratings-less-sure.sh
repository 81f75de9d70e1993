#!/usr/bin/env bash
# trueskill 0.4.5: rate_1vs1 with drawn=True, in an environment with draw_probability=0.
#
# One would guess: a draw that the settings rule out is refused, or makes the rating more certain, as every other game
# does.
# What happens: it is accepted, and each draw makes both ratings less certain: sigma grows from 8.3 to 14.6 in five
# games.
#
# Prints what it saw; exits with 1 if that is no longer so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  trueskill==0.4.5 || exit 2
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys

import trueskill

environment = trueskill.TrueSkill(draw_probability=0.0)
one, other = environment.create_rating(), environment.create_rating()
sigmas = [one.sigma]
for _ in range(5):
    one, other = environment.rate_1vs1(one, other, drawn=True)
    sigmas.append(one.sigma)
print("sigma after each draw:", *(f"{sigma:.3f}" for sigma in sigmas))
sys.exit(0 if sigmas == sorted(sigmas) and sigmas[-1] > 1.5 * sigmas[0] else 1)
PYTHON
