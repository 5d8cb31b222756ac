"""Which stored time series a filter selects."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mockserver.apis.monitoring.aggregation import label_at
from mockserver.apis.monitoring.collections import DESCRIPTORS
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
from mockserver.apis.monitoring.series import DESCRIPTORS_BY_TYPE, Series, StoredSeries
from mockserver.googleapi import ApiError, nearest, not_found
from mockserver.googleapi.filter_trees import And, leaves, tree_test
from mockserver.model import JsonObject
from mockserver.state import World, project_names

_TYPE = ("metric", "type")
_NO_METRIC = "The provided filter doesn't refer to any known metric."
_NO_COMBINATION = (
    "The supplied filter does not specify a valid combination of metric and monitored resource "
    "descriptors. The query will not return any time series."
)


@dataclass(frozen=True)
class Query:
    """A filter with the one metric that it asks for, and the selector that stands for it."""

    text: str
    tree: Filter
    metric: str
    selection: Selection | None = None


@lru_cache(maxsize=256)
def read_query(text: str) -> Query:
    """Read the filter of a time series query.

    Raises:
        ApiError: 400: not in the language, an unknown selector, or not exactly one metric type. The
            text of the latter is not verified against the live API.
    """
    tree = parse_filter(text)
    metrics: list[str] = []
    for leaf in leaves(tree):
        if isinstance(leaf, Selection):
            metrics.append(_stored_type(text, leaf))
        else:
            _check_one_condition(text, leaf)
            if leaf.path == _TYPE:
                metrics.append(_metric_type(text, tree, leaf))
    if len(metrics) != 1:
        raise _not_one_metric(text)
    selections = [leaf for leaf in leaves(tree) if isinstance(leaf, Selection)]
    return Query(text, tree, metrics[0], selections[0] if selections else None)


def select_series(stored: StoredSeries, world: World, name: str, query: Query) -> list[Series]:
    """The series that a query selects under a project, folder or organization.

    Raises:
        ApiError: 404 for a metric that the session does not know, 400 for a resource type that the
            metric is not written against.
    """
    series = stored.of_type(query.metric)
    table = world.table(DESCRIPTORS)
    descriptor = table.get(table.last(DESCRIPTORS_BY_TYPE, query.metric) or "")
    if not series and descriptor is None:
        known = [*stored.types(), *table.values_as_put(DESCRIPTORS_BY_TYPE)]
        raise not_found(_NO_METRIC, name=query.metric, nearest=nearest(query.metric, known))
    _check_resource(query, series, descriptor)
    belongs = project_test(world, name)
    test = tree_test(query.tree, _leaf_test)
    return [each for each in series if belongs(each) and test(each)]


def _metric_type(text: str, tree: Filter, rule: Condition) -> str:
    conjuncts = tree.filters if isinstance(tree, And) else (tree,)
    if rule not in conjuncts or rule.operator != "=" or rule.function:
        raise _not_one_metric(text)
    return str(rule.values[0])


def _not_one_metric(text: str) -> ApiError:
    why = 'The filter must name exactly one metric type, as in metric.type = "...".'
    return bad_filter(text, why)


def _stored_type(text: str, selection: Selection) -> str:
    """The metric type under which the results of a selector are stored."""
    if not selection.name.startswith("select_slo_"):
        raise bad_filter(text, f"unknown function {selection.name}")
    arguments = ", ".join(f'"{each}"' for each in selection.arguments)
    return f"{selection.name}({arguments})"


def _check_one_condition(text: str, rule: Condition) -> None:
    try:
        label_at(_PROBE, rule.path)
    except KeyError as error:
        raise bad_filter(text, f"unrecognized selector {'.'.join(rule.path)}") from error
    check_condition(text, rule)


_PROBE = Series("", {}, "", {})


def _leaf_test(leaf: Leaf) -> Callable[[Series], bool]:
    if isinstance(leaf, Selection):
        return lambda series: True
    return lambda series: meets_condition(leaf, label_at(series, leaf.path))


def _check_resource(query: Query, series: Sequence[Series], descriptor: JsonObject | None) -> None:
    asked = [leaf for leaf in leaves(query.tree) if isinstance(leaf, Condition)]
    asked = [rule for rule in asked if rule.path == ("resource", "type") and rule.operator == "="]
    known = {each.resource for each in series}
    known |= set((descriptor or {}).get("monitoredResourceTypes", ()))
    if asked and known and not any(meets_condition(rule, kind) for rule in asked for kind in known):
        raise bad_filter(query.text, _NO_COMBINATION)


def project_test(world: World, name: str) -> Callable[[Series], bool]:
    """Whether a series is of a project; any is of a folder or an organization."""
    if not name.startswith("projects/"):
        return lambda _: True
    ids = {each.partition("/")[2] for each in project_names(world, name)}
    return lambda series: series.resource_labels.get("project_id") in ids
