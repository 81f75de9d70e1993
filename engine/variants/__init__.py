"""The variants, one module for a family. (Guide to follow.)"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from engine.errors import UnknownVariant, nearest
from engine.rules import Variant


@cache
def _all() -> dict[str, Variant]:
    """Every variant by name, in the order of the rule book."""
    found: list[Variant] = []
    for module in iter_modules(__path__):
        found.extend(import_module(f"{__name__}.{module.name}").VARIANTS)
    return {variant.name: variant for variant in sorted(found, key=lambda variant: int(variant.section[1:]))}


def variant_names() -> tuple[str, ...]:
    """The names of all variants in the order of RULES.md."""
    return tuple(_all())


def rules_of(name: str) -> Variant:
    """The page of a variant.

    Raises:
        UnknownVariant: there is none of this name; the sentence names the nearest.
    """
    variants = _all()
    if name not in variants:
        raise UnknownVariant(f'there is no variant "{name}"; nearest is "{nearest(name, variants)}"')
    return variants[name]


def resolve_options(name: str, given: dict[str, object] | None = None) -> dict[str, bool | int | str]:
    """Every option of a variant with the value given or its default; raises UnknownVariant and InvalidOption."""
    return rules_of(name).resolve(given)
