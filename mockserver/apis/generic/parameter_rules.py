"""Rules of list parameters: a value of a field, a prefix, a window of time, a filter."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from mockserver.apis.generic.plans import Plan, plan_of, properties
from mockserver.collections import LAST, Index, Store
from mockserver.collections.places import value_at
from mockserver.collections.selections import AllOf, ByIndex, Selection, Without
from mockserver.googleapi import (
    Comparison,
    Document,
    FilterError,
    camel_case,
    is_free_form,
    leaves,
    matches_wildcards,
    parse_filter,
)
from mockserver.googleapi.list_rules import (
    Order,
    RowRule,
    SentParameter,
    UnservedError,
    marked,
)
from mockserver.model import JsonMapping, JsonObject

_DEEPEST = 12
_TERM = re.compile(r"^([A-Za-z_][\w.]*)(?:\s+(asc|desc))?$", re.IGNORECASE)
_DELETED = ("DELETED", "DELETE_REQUESTED", "SOFT_DELETED", "cancelled")
_STATES = ("state", "lifecycleState", "status")
_DELETED_FIELDS = ("deleted", "deleteTime", "deletionTime", "deletedTime", "softDeleteTime")
_SELECTOR = re.compile(
    r"(?P<not>!)?\s*(?P<key>[\w./-]+)\s*"
    r"(?:(?P<op>==?|!=)\s*(?P<value>[\w.-]*)|(?P<set>in|notin)\s*\((?P<values>[^)]*)\))?\s*(?:,|$)"
)


def by_filter(sent: SentParameter) -> Selection:
    """The rows that a filter of AIP-160 means; each of its fields must be one that rows have.

    Raises:
        UnservedError: It is of another language, or about something else.
    """
    text = str(sent.value)
    try:
        tree = parse_filter(text)
    except FilterError as error:
        raise UnservedError(f"it is not in the language of AIP-160: {error}") from error
    document, item = sent.method.document, plan_of(sent.method).item
    for leaf in leaves(tree):
        if not isinstance(leaf, Comparison):
            raise UnservedError("bare words and functions have no meaning that its document tells")
        if not schema_has(document, item, leaf.field):
            raise UnservedError(f"{item or 'a row'} has no field {leaf.field!r}")
    return sent.meeting(text, sent.name)


def by_order(sent: SentParameter) -> Order:
    """An order by fields; `sortOrder=DESCENDING` beside it turns it.

    Raises:
        UnservedError: The order is by something that rows do not have.
    """
    plan, found = plan_of(sent.method), []
    down = str(sent.call.params.get("sortOrder", "")).upper().startswith("DESC")
    for term in [each.strip() for each in str(sent.value).split(",") if each.strip()]:
        match = _TERM.match(term)
        name = field_named(plan, match[1]) if match else ""
        if match is None or not name:
            raise UnservedError(f"{plan.item or 'a row'} has no field to order by {term[:100]!r}")
        found.append((sent.field(name), match[2].lower() == "desc" if match[2] else down))
    return tuple(found)


def field_named(plan: Plan, name: str) -> str:
    """The field of a plan's rows with a name, `NAME` and `create_time` too; empty for none."""
    known = properties(plan.method.document, plan.item)
    for each in (name, camel_case(name), camel_case(name.lower())):
        if each in known or ("." in each and schema_has(plan.method.document, plan.item, each)):
            return each
    return ""


def schema_has(document: Document, item: str, path: str) -> bool:
    """Whether rows of a schema may have something at a dotted path."""
    return _has_path(document, document.schemas.get(item, {}), path.split("."), 0)


def _has_path(document: Document, spec: JsonMapping, parts: list[str], depth: int) -> bool:
    if depth > _DEEPEST:
        return False
    if "$ref" in spec:
        spec = document.schemas.get(spec["$ref"], {})
        return _has_path(document, spec, parts, depth + 1)
    if spec.get("type") == "array":
        return _has_path(document, spec["items"], parts, depth + 1)
    if not parts:
        return True
    inner: Mapping[str, JsonMapping] = spec.get("properties", {})
    for name in (parts[0], camel_case(parts[0])):
        if name in inner:
            return _has_path(document, inner[name], parts[1:], depth + 1)
    if "properties" in spec:
        return False
    free = spec.get("type") in {"any", "object"} and is_free_form(spec)
    return free or "additionalProperties" in spec


def equal_to(path: str, spec: JsonMapping) -> RowRule:
    """The rows with one of the values at a path of fields."""
    words = spec["items"] if spec.get("type") == "array" else spec
    known = {str(each).casefold() for each in words.get("enum", ())}

    def choose(sent: SentParameter) -> Selection:
        wanted = {text.casefold() for text in sent.texts}
        if known and not wanted <= known:
            raise UnservedError(f"{path} has no value {', '.join(sorted(wanted - known))!r}")
        absent = words.get("type") == "boolean" and "false" in wanted
        return sent.field(path).equal(sent.table, sorted(wanted), absent=absent, folded=True)

    return choose


def starting_with(path: str) -> RowRule:
    """The rows whose text at a path begins so."""
    return lambda sent: sent.field(path).starting(sent.table, str(sent.value))


def having(path: str) -> RowRule:
    """The rows with the value itself at a path."""
    return lambda sent: sent.field(path).equal(sent.table, [str(sent.value)])


def among_ids(sent: SentParameter) -> Selection:
    """The rows with one of the ids."""
    place = plan_of(sent.method).id_fields[-1] or ("id",)
    return sent.field(".".join(place)).equal(sent.table, sent.texts)


def below_parent(sent: SentParameter) -> Selection:
    """The rows of a parent, as far as they tell one by a field or by their names.

    Raises:
        UnservedError: Some row tells none.
    """
    parent, table = str(sent.value), sent.table
    if sent.name in properties(sent.method.document, plan_of(sent.method).item):
        told = sent.field(sent.name)
        if AllOf([*sent.within, told.equal(table, (), absent=True)]).places():
            raise UnservedError("not all rows tell their parents")
        return told.equal(table, [parent])
    if AllOf([*sent.within, marked(table, _has_short_name, "short names")]).places():
        raise UnservedError("not all rows tell their parents by their names")
    return sent.field("name").starting(table, f"{parent.rstrip('/')}/")


def _has_short_name(row: JsonObject) -> bool:
    return "/" not in str(row.get("name", ""))


def of_tenant(sent: SentParameter) -> Selection:
    """The rows of a project or customer; those that do not tell theirs are of the one asked for."""
    return sent.field(sent.name).equal(sent.table, [str(sent.value)], absent=True)


def without(test: Callable[[JsonObject], object], words: str) -> RowRule:
    """All rows when the parameter is true; otherwise those that do not meet a test."""

    def choose(sent: SentParameter) -> Selection | None:
        hidden = marked(sent.table, test, words)
        return None if sent.value is True or not len(hidden) else Without(sent.table, hidden)

    return choose


@cache
def hide_marked(*, of: str = "deleted") -> RowRule:
    """All rows when the parameter is true; otherwise those without a mark."""
    return without(lambda row: _has_mark(row, of), of)


def has_mark_field(plan: Plan, mark: str) -> bool:
    """Whether a schema has a field for a mark."""
    known = properties(plan.method.document, plan.item)
    if mark != "deleted":
        return mark in known
    states = [each for name in _STATES for each in known.get(name, {}).get("enum", ())]
    return not {*_DELETED, *_DELETED_FIELDS}.isdisjoint([*states, *known])


def _has_mark(row: JsonObject, mark: str) -> bool:
    if mark != "deleted":
        return bool(row.get(mark))
    states = (row.get(name) for name in _STATES)
    return any(each in _DELETED for each in states) or any(map(row.get, _DELETED_FIELDS))


def in_window(path: str, bound: str) -> RowRule:
    """The rows whose time at a path is on one side of a bound: `>=`, `>`, `<=` or `<`.

    A row without the time is on neither side.
    """
    return lambda sent: sent.window(path, bound, sent.name)


def with_pattern(*paths: str) -> RowRule:
    """The rows that have the words of a pattern with `*` at one of some paths."""

    def choose(sent: SentParameter) -> Selection:
        pattern = f"*{str(sent.value).casefold()}*"

        def test(row: JsonObject) -> bool:
            texts = (str(row.get(path) or "").casefold() for path in paths)
            return any(matches_wildcards(text, pattern) for text in texts)

        return sent.tested(test, pattern)

    return choose


def with_labels(sent: SentParameter) -> Selection | None:
    """The rows that a label selector of Kubernetes means: `a=b,c!=d,e in (f,g),h,!i`.

    Raises:
        UnservedError: It is no selector.
    """
    text, place = str(sent.value).strip(), 0
    found: list[Selection] = []
    while place < len(text):
        match = _SELECTOR.match(text, place)
        if match is None:
            raise UnservedError("it is no selector of labels")
        place = match.end()
        found.append(_labelled(sent.table, match))
    return AllOf(found) if found else None


def _labelled(table: Store, match: re.Match[str]) -> Selection:
    key, value, several = match["key"], match["value"], match["values"]
    pairs: list[tuple[str, ...]] = [(key,)]
    if several is not None:
        pairs = [(key, each.strip()) for each in several.split(",")]
    elif value is not None:
        pairs = [(key, value)]
    bounds = [(each, (*each, LAST)) for each in pairs]
    labelled = ByIndex(table, _LABELS, bounds, words=match[0])
    is_turned = "notin" if several is not None else "!=" if value is not None else "!"
    return Without(table, labelled) if is_turned in match.group("not", "op", "set") else labelled


def _label_pairs(_: str, row: JsonObject) -> Iterable[tuple[str, str]]:
    labels = value_at(row, ("metadata", "labels"))
    return [(key, str(each)) for key, each in labels.items()] if isinstance(labels, dict) else ()


_LABELS = Index(_label_pairs)
"""Rows by their labels."""
