"""Metric descriptors and monitored resource descriptors."""

from collections.abc import Callable, Sequence
from itertools import chain
from operator import itemgetter

from mockserver.apis.monitoring.collections import DESCRIPTORS, RESOURCE_DESCRIPTORS
from mockserver.apis.monitoring.filters import (
    Condition,
    Filter,
    Leaf,
    Selection,
    bad_filter,
    check_condition,
    meets_condition,
    parse_filter,
)
from mockserver.apis.monitoring.parameters import bad_value, now_micros, project_of
from mockserver.apis.monitoring.series import DAY, SECOND, StoredSeries
from mockserver.collections import Index
from mockserver.googleapi import Call, PageRule, list_page, require_row
from mockserver.googleapi.filter_trees import Not, Or, leaves, tree_test
from mockserver.model import Json, JsonObject
from mockserver.state import project_names

_PAGES = PageRule(default=10_000, maximum=10_000)
_ACTIVE = DAY + 3600 * SECOND
OWN_PREFIXES = (
    "custom.googleapis.com/",
    "external.googleapis.com/",
    "workload.googleapis.com/",
    "prometheus.googleapis.com/",
)
"""Beginnings of the types of metrics that users define."""


def list_metrics(call: Call) -> JsonObject:
    """Answers `metricDescriptors.list`.

    Raises:
        ApiError: 400 for a filter or a page token.
    """
    rows = _filter_rows(call, _rows_of_project(call, DESCRIPTORS), _METRIC_FIELDS)
    if call.params.get("activeOnly"):
        rows = _active_metrics(call, rows)
    return list_page(call, "metricDescriptors", rows, _PAGES)


def create_metric(call: Call) -> JsonObject:
    """Answers `metricDescriptors.create`; a descriptor that is there is replaced.

    Raises:
        ApiError: 400 for a type that is not the user's to define, or without kind or value type.
            The texts are not verified against the live API.
    """
    kind = str(call.body.get("type", ""))
    _check_user_defined(kind)
    for name in ("metricKind", "valueType"):
        if not call.body.get(name) or str(call.body[name]).endswith("_UNSPECIFIED"):
            raise bad_value(f"metricDescriptor.{name}", "", "It is required.")
    name = f"{project_of(call.params)}/metricDescriptors/{kind}"
    row = {**call.body, "name": name}
    call.world.put(DESCRIPTORS, name, row)
    return row


def delete_metric(call: Call) -> JsonObject:
    """Answers `metricDescriptors.delete`.

    Raises:
        ApiError: 404; 400 for a metric that is not the user's.
    """
    row = find_descriptor(DESCRIPTORS, call)
    _check_user_defined(row["type"])
    call.world.delete(DESCRIPTORS, row["name"])
    return {}


def list_resources(call: Call) -> JsonObject:
    """Answers `monitoredResourceDescriptors.list`.

    Raises:
        ApiError: 400 for a filter or a page token.
    """
    rows = _filter_rows(call, _rows_of_project(call, RESOURCE_DESCRIPTORS), _RESOURCE_FIELDS)
    return list_page(call, "resourceDescriptors", rows, _PAGES)


def _check_user_defined(kind: str) -> None:
    if not kind.startswith(OWN_PREFIXES):
        why = f"The metric type must start with one of {', '.join(OWN_PREFIXES)}."
        raise bad_value("metricDescriptor.type", kind, why)


def _rows_of_project(call: Call, collection: str) -> Sequence[JsonObject]:
    parents = dict.fromkeys(project_names(call.world, project_of(call.params)))
    table = call.world.table(collection)
    found = [table.find(_BY_PROJECT, each) for each in parents]
    filled = [rows for rows in found if rows]
    if len(filled) < 2:
        return filled[0] if filled else ()
    return table.rows_of(sorted(chain(*(rows.entries() for rows in filled)), key=itemgetter(1)))


_BY_PROJECT = Index(lambda name, _: ("/".join(name.split("/", 2)[:2]),))


def find_descriptor(collection: str, call: Call) -> JsonObject:
    """Answers `get` of both kinds of descriptors.

    Raises:
        ApiError: 404.
    """
    return require_row(call.world, collection, project_of(call.params))


def _active_metrics(call: Call, rows: Sequence[JsonObject]) -> list[JsonObject]:
    stored = StoredSeries(call.world)
    since = now_micros(call) - stored.shift - _ACTIVE
    return [
        row
        for row in rows
        if any(each.ends and each.ends[-1] > since for each in stored.of_type(row["type"]))
    ]


def _labels(row: JsonObject) -> Json:
    return {each["key"]: each.get("description", "") for each in row.get("labels", ())}


_Fields = dict[tuple[str, ...], Callable[[JsonObject], Json]]
_METRIC_FIELDS: _Fields = {
    ("metric", "type"): lambda row: row["type"],
    ("metric", "label"): _labels,
    ("metric", "labels"): _labels,
    ("resource", "type"): lambda row: row.get("monitoredResourceTypes"),
    ("project",): lambda row: row["name"].split("/")[1],
}
_RESOURCE_FIELDS: _Fields = {
    ("resource", "type"): lambda row: row.get("type"),
    ("resource", "label"): _labels,
    ("resource", "labels"): _labels,
}


def _filter_rows(call: Call, rows: Sequence[JsonObject], fields: _Fields) -> Sequence[JsonObject]:
    """The rows that a filter means; unknown selectors and a choice between types are refused."""
    text = str(call.params.get("filter") or "")
    if not text.strip():
        return rows

    def leaf_test(leaf: Leaf) -> Callable[[JsonObject], bool]:
        if isinstance(leaf, Selection) or leaf.path not in fields:
            name = leaf.name if isinstance(leaf, Selection) else ".".join(leaf.path)
            raise bad_filter(text, f"unrecognized selector {name}")
        check_condition(text, leaf)
        return lambda row: meets_condition(leaf, fields[leaf.path](row))

    tree = parse_filter(text)
    test = tree_test(tree, leaf_test)
    if _allows_two_types(tree):
        raise bad_filter(text, "restrictions of metric.type cannot be combined with OR.")
    return [row for row in rows if test(row)]


def _allows_two_types(tree: Filter) -> bool:
    """Whether more than one metric type is named where only one has to hold."""
    if isinstance(tree, Or):
        rules = [leaf for leaf in leaves(tree) if isinstance(leaf, Condition)]
        return sum(rule.path == ("metric", "type") for rule in rules) > 1
    if isinstance(tree, Not):
        return _allows_two_types(tree.filter)
    return any(_allows_two_types(part) for part in getattr(tree, "filters", ()))
