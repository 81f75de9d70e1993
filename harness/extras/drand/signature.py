"""Checks the signatures of rounds of drand: BLS over BLS12-381, with `py-ecc` of the extra `beacon`.

A signature is a point of G1 in compressed form. Exactly one text is the signature of a round, so a server of rounds has
no choice. The point must therefore be in the subgroup, because a point outside it can be added to a signature without
changing the pairing.
"""

from __future__ import annotations

import hashlib
import re
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py_ecc.fields import optimized_bls12_381_FQ as FQ
    from py_ecc.fields import optimized_bls12_381_FQ2 as FQ2
    from py_ecc.typing import Optimized_Point3D

    from bowerbird.harness.extras.drand.rounds import Round

INSTALL = "pip install 'bowerbird[beacon]'"
"""The command that installs the library for checking signatures."""

DOMAIN = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
"""The domain separation tag of the scheme bls-unchained-g1-rfc9380."""

_SIGNATURE = re.compile("[0-9a-f]{96}")
_KEY = re.compile("[0-9a-f]{192}")


def is_installed() -> bool:
    """Return whether signatures can be checked here."""
    return find_spec("py_ecc") is not None


def load_library() -> None:
    """Import `py-ecc` without its side effect, which raises the recursion limit of the whole process.

    With that limit, deeply nested JSON ends the process instead of being refused. Call this before any import from
    `py_ecc`.
    """
    limit = sys.getrecursionlimit()
    import py_ecc  # noqa: F401 # imported for its side effect

    sys.setrecursionlimit(limit)


def hashed_round(number: int) -> Optimized_Point3D[FQ]:
    """Return the point of G1 that a chain signs for a round. Needs the extra `beacon`.

    It is the hash of a message: the SHA-256 of the round's number as 8 big-endian bytes.
    """
    load_library()
    from py_ecc.bls.hash_to_curve import hash_to_G1

    message = hashlib.sha256(number.to_bytes(8, "big")).digest()
    return hash_to_G1(message, DOMAIN, hashlib.sha256)  # type: ignore[arg-type] # its hint is wrong


def is_key(public_key: str) -> bool:
    """Return whether 192 hex digits in lower case are the public key of a chain. Needs the extra `beacon`."""
    return _key(public_key) is not None


def is_signed(round_: Round, signature: str) -> bool:
    """Return whether 96 hex digits in lower case are the signature of a round. Needs the extra `beacon`."""
    load_library()
    from py_ecc.fields import optimized_bls12_381_FQ12 as FQ12
    from py_ecc.optimized_bls12_381.optimized_curve import G2, neg
    from py_ecc.optimized_bls12_381.optimized_pairing import final_exponentiate, pairing

    key, point = _key(round_.chain.public_key), _point(signature)
    if key is None or point is None:
        return False
    hashed = neg(hashed_round(round_.number))
    product = pairing(G2, point, final_exponentiate=False) * pairing(key, hashed, final_exponentiate=False)
    return bool(final_exponentiate(product) == FQ12.one())


def _point(signature: str) -> Optimized_Point3D[FQ] | None:
    load_library()
    from py_ecc.bls.g2_primitives import subgroup_check
    from py_ecc.bls.point_compression import decompress_G1
    from py_ecc.bls.typing import G1Compressed

    if not _SIGNATURE.fullmatch(signature):
        return None
    try:
        point = decompress_G1(G1Compressed(int(signature, 16)))
    except ValueError:
        return None
    return point if subgroup_check(point) else None


def _key(public_key: str) -> Optimized_Point3D[FQ2] | None:
    load_library()
    from py_ecc.bls.g2_primitives import subgroup_check
    from py_ecc.bls.point_compression import decompress_G2
    from py_ecc.bls.typing import G2Compressed
    from py_ecc.optimized_bls12_381.optimized_curve import is_inf

    if not _KEY.fullmatch(public_key):
        return None
    try:
        point = decompress_G2(G2Compressed((int(public_key[:96], 16), int(public_key[96:], 16))))
    except ValueError:
        return None
    return None if is_inf(point) or not subgroup_check(point) else point
