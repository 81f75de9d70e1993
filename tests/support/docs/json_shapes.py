"""The shapes of docs/reference/json.md, and a comparison of a printed document with them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from tests.support.docs.pages import rows, section
from tests.support.paths import DOCS

PAGE = DOCS / "reference" / "json.md"
EVERY_FIELD_OF = "…"
"""In place of a field's name: the shape has every field of the shape that is linked."""

_REFERENCE = re.compile(r"\[([a-z ]+)\]\(#([a-z-]+)\)")


@dataclass(frozen=True)
class Field:
    """A field of a shape: its type as the page writes it, and whether it may be missing."""

    type: str
    may_miss: bool


@dataclass
class Shapes:
    """The shapes of the page by name, and those that a comparison has met, with the fields that had a value."""

    shapes: Mapping[str, Mapping[str, Field]]
    printed: Mapping[str, str]
    met: dict[str, set[str]] = field(default_factory=dict)

    def wrong(self, document: object, type_: str, place: str = "") -> Iterator[str]:
        """Yield a sentence for everything in a document that is not as the page says. `type_` is as on the page."""
        problems = [list(self._wrong_one(document, part, place)) for part in type_.split(" or ")]
        if all(problems):
            # Of several types, the one that fits best says most.
            yield from min(problems, key=len)

    def _wrong_one(self, document: object, type_: str, place: str) -> Iterator[str]:
        container, _, rest = type_.partition(" of ")
        if container in ("list", "map"):
            if not isinstance(document, list if container == "list" else dict):
                yield f"{place or 'the document'} is no {container}: {document!r:.60}"
                return
            pairs = enumerate(document) if isinstance(document, list) else document.items()
            for key, value in pairs:
                yield from self.wrong(value, rest, f"{place}[{key!r}]")
            return
        reference = _REFERENCE.fullmatch(type_)
        if reference is not None:
            yield from self._wrong_shape(document, reference[1], place)
        elif not _is(document, type_):
            yield f"{place or 'the document'} is not {type_}: {document!r:.60}"

    def _wrong_shape(self, document: object, name: str, place: str) -> Iterator[str]:
        if not isinstance(document, dict):
            yield f"{place or 'the document'} is no {name}: {document!r:.60}"
            return
        fields = self.fields(name)
        met = self.met.setdefault(name, set())
        for unknown in document.keys() - fields.keys():
            yield f"{place}.{unknown}: json.md, {name} does not have this field; add it"
        for key, one in fields.items():
            if key in document:
                if document[key] is not None:
                    met.add(key)
                yield from self.wrong(document[key], one.type, f"{place}.{key}")
            elif not one.may_miss:
                yield f"{place}.{key}: json.md, {name} has this field, the document has not"

    def fields(self, name: str) -> Mapping[str, Field]:
        """Return the fields of a shape, including the fields of the shape that it extends."""
        found: dict[str, Field] = {}
        for key, one in self.shapes[name].items():
            if key == EVERY_FIELD_OF:
                base = _REFERENCE.fullmatch(one.type)
                assert base is not None, f"{name}: {one.type} is no link to a shape"
                found.update(self.fields(base[1]))
            else:
                found[key] = one
        return found

    def references(self) -> Collection[tuple[str, str]]:
        """Return every shape that a type names, with the anchor of its link."""
        types = [one.type for fields in self.shapes.values() for one in fields.values()]
        return {found for type_ in [*types, *self.printed.values()] for found in _REFERENCE.findall(type_)}


def read_shapes() -> Shapes:
    """Return the shapes of the page, and what each command prints."""
    text = PAGE.read_text(encoding="utf-8")
    names = re.findall(r"^### (.+)$", text, re.MULTILINE)
    shapes = {}
    for name in names:
        body = re.split(r"^#+ ", text.split(f"\n### {name}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]
        shapes[name] = {cells[0].strip("`"): Field(cells[1], "missing" in cells[2]) for cells in rows(body)}
    printed = {cells[0].replace("`", ""): cells[1] for cells in rows(section(PAGE, "What each command prints"))}
    return Shapes(shapes, printed)


def _is(value: object, type_: str) -> bool:
    match type_:
        case "any":
            return True
        case "null":
            return value is None
        case "text":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
    raise AssertionError(f"json.md names an unknown type {type_!r}")
