"""Rules of list parameters: a value of a field, a prefix, a window of time, a filter."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from operator import ge, gt, le, lt

from mockserver.apis.generic.plans import Plan, plan_of, properties
from mockserver.collections.places import value_at
from mockserver.googleapi import (
    Comparison,
    Document,
    FilterError,
    camel_case,
    invalid,
    is_free_form,
    leaves,
    matches_wildcards,
    order_rows,
    parse_filter,
    row_test,
    values_at,
)
from mockserver.googleapi.list_rules import (
    RowRule,
    Rows,
    SentParameter,
    UnservedError,
    epoch_seconds,
)
from mockserver.model import Json, JsonMapping, JsonObject

Path = tuple[str, ...]
_DEEPEST = 12
_TERM = re.compile(r"^([A-Za-z_][\w.]*)(?:\s+(?:asc|desc))?$", re.IGNORECASE)
_DELETED = ("DELETED", "DELETE_REQUESTED", "SOFT_DELETED", "cancelled")
_STATES = ("state", "lifecycleState", "status")
_DELETED_FIELDS = ("deleted", "deleteTime", "deletionTime", "deletedTime", "softDeleteTime")
_SELECTOR = re.compile(
    r"(?P<not>!)?\s*(?P<key>[\w./-]+)\s*"
    r"(?:(?P<op>==?|!=)\s*(?P<value>[\w.-]*)|(?P<set>in|notin)\s*\((?P<values>[^)]*)\))?\s*(?:,|$)"
)


def by_filter(parameter: SentParameter, rows: Rows) -> Rows:
    """The rows that a filter of AIP-160 means; each of its fields must be one that rows have.

    Raises:
        UnservedError: It is of another language, or about something else.
    """
    text = str(parameter.value)
    try:
        tree = parse_filter(text)
    except FilterError as error:
        raise UnservedError(f"it is not in the language of AIP-160: {error}") from error
    document, item = parameter.method.document, plan_of(parameter.method).item
    for leaf in leaves(tree):
        if not isinstance(leaf, Comparison):
            raise UnservedError("bare words and functions have no meaning that its document tells")
        if not schema_has(document, item, leaf.field):
            raise UnservedError(f"{item or 'a row'} has no field {leaf.field!r}")
    test = row_test(text, parameter.name)
    return [row for row in rows if test(row)]


def by_order(parameter: SentParameter, rows: Rows) -> Rows:
    """The rows in an order by fields; `sortOrder=DESCENDING` beside it turns it.

    Raises:
        UnservedError: The order is by something that rows do not have.
    """
    call, plan = parameter.call, plan_of(parameter.method)
    terms = [each.strip() for each in str(parameter.value).split(",") if each.strip()]
    down = str(call.params.get("sortOrder", "")).upper().startswith("DESC")
    for number, term in enumerate(terms):
        found = _TERM.match(term)
        name = field_named(plan, found[1]) if found else ""
        if found is None or not name:
            raise UnservedError(f"{plan.item or 'a row'} has no field to order by {term[:100]!r}")
        end = term[len(found[1]) :] or (" desc" if down else "")
        terms[number] = f"{name}{end}"
    return order_rows(call, rows, ", ".join(terms), parameter="")


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


def equal_to(path: Path, spec: JsonMapping) -> RowRule:
    """The rows with one of the values at a path of fields."""
    words = spec["items"] if spec.get("type") == "array" else spec
    known = {str(each).casefold() for each in words.get("enum", ())}

    def choose(parameter: SentParameter, rows: Rows) -> Rows:
        wanted = {text.casefold() for text in parameter.texts}
        if known and not wanted <= known:
            raise UnservedError(
                f"{'.'.join(path)} has no value {', '.join(sorted(wanted - known))!r}"
            )
        missing = "false" if words.get("type") == "boolean" else None
        return [
            row for row in rows if wanted & _value_texts(values_at(row, ".".join(path)), missing)
        ]

    return choose


def _value_texts(values: list[Json], missing: str | None) -> set[str]:
    flat = [part for each in values for part in (each if isinstance(each, list) else [each])]
    return {str(each).casefold() for each in flat} or ({missing} if missing else set())


def starting_with(path: Path) -> RowRule:
    """The rows whose text at a path begins so."""

    def choose(parameter: SentParameter, rows: Rows) -> Rows:
        return [
            row for row in rows if str(value_at(row, path) or "").startswith(str(parameter.value))
        ]

    return choose


def among_ids(parameter: SentParameter, rows: Rows) -> Rows:
    """The rows with one of the ids."""
    place = plan_of(parameter.method).id_fields[-1] or ("id",)
    return [row for row in rows if str(value_at(row, place)) in parameter.texts]


def below_parent(parameter: SentParameter, rows: Rows) -> Rows:
    """The rows of a parent, as far as they tell one by a field or by their names.

    Raises:
        UnservedError: Some row tells none.
    """
    parent = str(parameter.value)
    known = properties(parameter.method.document, plan_of(parameter.method).item)
    if parameter.name in known:
        if any(row.get(parameter.name) is None for row in rows):
            raise UnservedError("not all rows tell their parents")
        return [row for row in rows if row[parameter.name] == parent]
    if any("/" not in str(row.get("name", "")) for row in rows):
        raise UnservedError("not all rows tell their parents by their names")
    return [row for row in rows if row["name"].startswith(f"{parent.rstrip('/')}/")]


def of_tenant(parameter: SentParameter, rows: Rows) -> Rows:
    """The rows of a project or customer; those that do not tell theirs are of the one asked for."""
    return [row for row in rows if row.get(parameter.name) in (None, parameter.value)]


def hide_marked(*, of: str = "deleted") -> RowRule:
    """All rows when the parameter is true; otherwise those without a mark."""

    def choose(parameter: SentParameter, rows: Rows) -> Rows:
        return rows if parameter.value is True else [row for row in rows if not _has_mark(row, of)]

    return choose


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


_BOUNDS: Mapping[str, Callable[[float, float], bool]] = {">=": ge, ">": gt, "<=": le, "<": lt}


def in_window(path: Path, bound: str) -> RowRule:
    """The rows whose time at a path is on one side of a bound: `>=`, `>`, `<=` or `<`.

    A row without the time is on neither side.
    """
    return partial(_in_window, path, _BOUNDS[bound])


def _in_window(
    path: Path, test: Callable[[float, float], bool], parameter: SentParameter, rows: Rows
) -> Rows:
    try:
        limit = epoch_seconds(parameter.value)
    except ValueError as error:
        text = f"Invalid value '{parameter.value}' for {parameter.name}: not a time."
        raise invalid(text, location=parameter.name) from error
    return [
        row
        for row in rows
        if any(test(each, limit) for each in _all_seconds(values_at(row, ".".join(path))))
    ]


def _all_seconds(values: list[Json]) -> list[float]:
    found = []
    for each in values:
        try:
            found.append(epoch_seconds(each))
        except ValueError:
            continue
    return found


def with_pattern(*paths: Path) -> RowRule:
    """The rows that have the words of a pattern with `*` at one of some paths."""

    def choose(parameter: SentParameter, rows: Rows) -> Rows:
        pattern = f"*{str(parameter.value).casefold()}*"
        return [
            row
            for row in rows
            if any(
                matches_wildcards(str(value_at(row, path) or "").casefold(), pattern)
                for path in paths
            )
        ]

    return choose


def with_labels(parameter: SentParameter, rows: Rows) -> Rows:
    """The rows that a label selector of Kubernetes means: `a=b,c!=d,e in (f,g),h,!i`.

    Raises:
        UnservedError: It is no selector.
    """
    text, place = str(parameter.value).strip(), 0
    while place < len(text):
        found = _SELECTOR.match(text, place)
        if found is None:
            raise UnservedError("it is no selector of labels")
        place = found.end()
        rows = [
            row for row in rows if _meets_selector(found, value_at(row, ("metadata", "labels")))
        ]
    return rows


def _meets_selector(found: re.Match[str], labels: Json) -> bool:
    own = labels.get(found["key"]) if isinstance(labels, dict) else None
    if found["set"]:
        values = [each.strip() for each in found["values"].split(",")]
        return (own in values) is (found["set"] == "in")
    if found["op"]:
        return (own == found["value"]) is (found["op"] != "!=")
    return (own is not None) is (found["not"] is None)
