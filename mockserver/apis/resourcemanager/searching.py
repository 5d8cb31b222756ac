"""The search of projects, folders and organizations. Source: Discovery document."""

from collections.abc import Sequence
from functools import partial

from mockserver.googleapi import (
    And,
    Comparison,
    Filter,
    FilterError,
    Function,
    Leaf,
    Not,
    Or,
    Text,
    alike,
    holds,
    invalid,
    leaves,
    parse_filter,
)
from mockserver.model import JsonObject

_FIELDS = {
    "name": "displayName",
    "displayname": "displayName",
    "id": "projectId",
    "projectid": "projectId",
    "state": "state",
    "lifecyclestate": "state",
    "parent": "parent",
    "parent.type": "parent",
    "parent.id": "parent",
    "labels": "labels",
    "domain": "displayName",
    "owner.directorycustomerid": "directoryCustomerId",
    "directorycustomerid": "directoryCustomerId",
}
_LABEL = "labels."


def search(rows: list[JsonObject], text: str, *, parameter: str = "query") -> list[JsonObject]:
    """The rows that meet a search; expressions side by side mean any of them.

    Search is case-insensitive, and `*` is any text. Source: Discovery document.

    Raises:
        ApiError: 400; not in the language, or a field that cannot be searched.
    """
    if not text.strip():
        return rows
    try:
        tree = parse_filter(text)
    except FilterError as error:
        raise invalid(f"Invalid {parameter}: {error}.", location=parameter) from error
    for leaf in leaves(tree):
        if not _is_searchable(leaf):
            name = leaf.name if isinstance(leaf, Function) else getattr(leaf, "field", "")
            raise invalid(f"Invalid {parameter}: unknown field '{name}'.", location=parameter)
    if " AND " not in text:
        tree = _any_of(tree)
    return [row for row in rows if holds(tree, partial(_meets, row))]


def _any_of(tree: Filter) -> Filter:
    match tree:
        case Not(inner):
            return Not(_any_of(inner))
        case And(parts) | Or(parts):
            return Or(tuple(_any_of(part) for part in parts))
        case _:
            return tree


def _is_searchable(leaf: Leaf) -> bool:
    if isinstance(leaf, Text):
        return True
    if not isinstance(leaf, Comparison):
        return False
    name = leaf.field.casefold()
    return leaf.operator in {":", "="} and (name in _FIELDS or name.startswith("labels."))


def _meets(row: JsonObject, leaf: Leaf) -> bool:
    texts: Sequence[object] = [row.get("displayName", ""), row.get("projectId", "")]
    if isinstance(leaf, Comparison):
        texts = _texts(row, leaf.field)
    pattern = "" if not isinstance(leaf, Comparison | Text) else leaf.text.casefold()
    return any(alike(str(text).casefold(), pattern) for text in texts)


def _texts(row: JsonObject, field: str) -> Sequence[object]:
    """What a field of the search means in a row."""
    name, labels = field.casefold(), row.get("labels", {})
    if name.startswith(_LABEL):
        key = field[len(_LABEL) :]
        return [labels[key]] if key in labels else []
    if name == "labels":
        return [text for pair in labels.items() for text in pair]
    value = str(row.get(_FIELDS[name], ""))
    kind, _, key = value.partition("/")
    return [{"parent.type": kind.removesuffix("s"), "parent.id": key}.get(name, value)]
