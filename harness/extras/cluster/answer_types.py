"""Checks that a value from another process matches its type in every field."""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

LEAST_NUMBER, MOST_NUMBER = -(1 << 63), (1 << 63) - 1
"""The integers that a database can store."""

LONGEST_TEXT = 1 << 20
"""The maximum length of a text in an answer, in characters. The longest honest one is the notes of a game."""

Check = Callable[[Any], bool]


def is_of_type(value: object, hint: object) -> bool:
    """Return whether a value has a type, and everything in it has its declared type.

    A subclass is a different type, since its methods could do anything. Integers and texts are bounded. Fields declared
    as `object` are not checked.

    hint: a dataclass, bool, int, float, str, None, or a tuple, list, sequence, mapping, frozenset or union of them.
        Raises TypeError for any other.
    """
    return _check_of(hint)(value)


def _is_whole(value: object) -> bool:
    return type(value) is int and LEAST_NUMBER <= value <= MOST_NUMBER


_SINGLE: Mapping[Any, Check] = {
    object: lambda value: True,
    int: _is_whole,
    str: lambda value: type(value) is str and len(value) <= LONGEST_TEXT,
    float: lambda value: _is_whole(value) or (type(value) is float and math.isfinite(value)),
    bool: lambda value: type(value) is bool,
    None: lambda value: value is None,
    types.NoneType: lambda value: value is None,
}


@cache
def _check_of(hint: Any) -> Check:
    if hint in _SINGLE:
        return _SINGLE[hint]
    if dataclasses.is_dataclass(hint):
        return _dataclass_check(hint)
    return _generic_check(get_origin(hint), get_args(hint), hint)


def _dataclass_check(kind: Any) -> Check:
    hints = get_type_hints(kind)
    fields = [(field.name, _check_of(hints[field.name])) for field in dataclasses.fields(kind)]
    missing = object()

    def check(value: Any) -> bool:
        return type(value) is kind and all(is_right(getattr(value, name, missing)) for name, is_right in fields)

    return check


def _generic_check(origin: Any, arguments: tuple[Any, ...], hint: object) -> Check:
    if origin in (Union, types.UnionType):
        choices = [_check_of(argument) for argument in arguments]
        return lambda value: any(is_right(value) for is_right in choices)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return _collection_check((tuple,), arguments[0])
    if origin is tuple:
        checks = [_check_of(argument) for argument in arguments]
        return lambda value: (
            type(value) is tuple
            and len(value) == len(checks)
            and all(is_right(one) for is_right, one in zip(checks, value, strict=True))
        )
    if origin is Mapping:
        keys, values = map(_check_of, arguments)
        return lambda value: type(value) is dict and all(keys(key) and values(held) for key, held in value.items())
    if origin in _COLLECTIONS:
        return _collection_check(_COLLECTIONS[origin], arguments[0])
    raise TypeError(f"an answer must not contain {hint!r}")


_COLLECTIONS: Mapping[Any, tuple[type, ...]] = {
    list: (list,),
    frozenset: (frozenset,),
    Sequence: (list, tuple),
    Collection: (list, tuple, frozenset, set),
}


def _collection_check(kinds: tuple[type, ...], held: Any) -> Check:
    if held is str:  # records consist of texts and numbers: these two checks run in C
        return lambda value: (
            type(value) in kinds and {*map(type, value)} <= {str} and max(map(len, value), default=0) <= LONGEST_TEXT
        )
    if held is int:
        return lambda value: (
            type(value) in kinds
            and {*map(type, value)} <= {int}
            and (not value or (min(value) >= LEAST_NUMBER and max(value) <= MOST_NUMBER))
        )
    is_right = _check_of(held)
    return lambda value: type(value) in kinds and all(map(is_right, value))
