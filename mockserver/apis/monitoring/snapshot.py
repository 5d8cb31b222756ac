"""What Monitoring makes of a snapshot's collections."""

from collections.abc import Iterable

from mockserver.apis.monitoring.collections import DESCRIPTORS, RESOURCE_DESCRIPTORS, SERIES
from mockserver.apis.monitoring.series import point_value, points_of, series_key
from mockserver.errors import Problem
from mockserver.googleapi import Rows, SnapshotImport, each_object, json_kind, named_rows
from mockserver.model import Json, JsonObject
from mockserver.state import parse_rfc3339

_KINDS = ("GAUGE", "DELTA", "CUMULATIVE")
VALUE_TYPES = {
    "boolValue": "BOOL",
    "int64Value": "INT64",
    "doubleValue": "DOUBLE",
    "stringValue": "STRING",
    "distributionValue": "DISTRIBUTION",
}
"""Field of a point's value to its type."""


def import_snapshot(found: SnapshotImport) -> None:
    """Fill the tables: descriptors by name, time series by metric and resource.

    A time series gets what it lacks (kind, value type, project), its samples become points, and its
    metric gets a descriptor when the snapshot has none.
    """
    for key in (DESCRIPTORS, RESOURCE_DESCRIPTORS):
        rows = named_rows(found, key)
        found.tables[key] = {name: dict(row) for name, row in rows.items()}
    descriptors = found.tables[DESCRIPTORS]
    for name, row in descriptors.items():
        row.setdefault("type", name.partition("/metricDescriptors/")[2])
    by_type = {row["type"]: row for row in descriptors.values()}
    several: Rows = {}
    for pointer, raw in each_object(found, SERIES):
        series = _import_series(found, pointer, raw, by_type)
        if series is None:
            continue
        key = series_key(series)
        if key in several:
            found.problems.append(Problem(pointer, f"time series {key!r} is there twice"))
        several[key] = series
    found.tables[SERIES] = several
    _add_descriptors(found, several.values(), by_type)


def _import_series(
    found: SnapshotImport, pointer: str, raw: JsonObject, descriptors: dict[str, JsonObject]
) -> JsonObject | None:
    if not _has_type(found, pointer, raw, "metric") or not _has_type(
        found, pointer, raw, "resource"
    ):
        return None
    descriptor = descriptors.get(raw["metric"]["type"], {})
    row = {name: value for name, value in raw.items() if name != "samples"}
    row["resource"] = {**raw["resource"], "labels": _resource_labels(found, pointer, raw)}
    row.setdefault("metricKind", descriptor.get("metricKind", "GAUGE"))
    row.setdefault("valueType", _value_type(raw, descriptor))
    if descriptor.get("unit"):
        row.setdefault("unit", descriptor["unit"])
    if row["metricKind"] not in _KINDS or row["valueType"] not in VALUE_TYPES.values():
        text = (
            f"{row['metricKind']!r} of {row['valueType']!r} is no kind and value type of a metric"
        )
        found.problems.append(Problem(pointer, text, f"kinds: {', '.join(_KINDS)}"))
        return None
    return row if _add_points(found, pointer, raw, row) else None


def _has_type(found: SnapshotImport, pointer: str, raw: JsonObject, name: str) -> bool:
    value = raw.get(name)
    if isinstance(value, dict) and isinstance(value.get("type"), str) and value["type"]:
        return True
    text = f"expected an object with a 'type', found {json_kind(value)}"
    found.problems.append(Problem(f"{pointer}/{name}", text))
    return False


def _resource_labels(found: SnapshotImport, pointer: str, raw: JsonObject) -> JsonObject:
    """The labels of a series' resource; one without a project gets the snapshot's first."""
    labels = dict(raw["resource"].get("labels") or {})
    projects = found.raw.get("projects")
    if "project_id" in labels or not isinstance(projects, list) or not projects:
        return labels
    first = projects[0].get("projectId") if isinstance(projects[0], dict) else None
    if isinstance(first, str):
        labels = {"project_id": first, **labels}
        found.changes.append((f"{pointer}/resource/labels", f"gets the project_id {first}"))
    return labels


def _value_type(raw: JsonObject, descriptor: JsonObject) -> str:
    points = raw.get("points")
    first = points[0] if isinstance(points, list) and points else {}
    value = first.get("value") if isinstance(first, dict) else None
    names = [VALUE_TYPES[name] for name in value if name in VALUE_TYPES] if value else []
    return names[0] if names else str(descriptor.get("valueType", "DOUBLE"))


def _add_points(found: SnapshotImport, pointer: str, raw: JsonObject, row: JsonObject) -> bool:
    samples = raw.get("samples")
    if isinstance(samples, dict):
        try:
            row["points"] = points_of(samples, row["metricKind"], row["valueType"])
        except (ValueError, TypeError) as error:
            found.problems.append(Problem(f"{pointer}/samples", str(error)))
            return False
        found.changes.append((f"{pointer}/samples", f"become {len(row['points'])} points"))
    return _check_points(found, f"{pointer}/points", row.get("points") or [])


def _check_points(found: SnapshotImport, pointer: str, points: Json) -> bool:
    if not isinstance(points, list):
        found.problems.append(Problem(pointer, f"expected an array, found {json_kind(points)}"))
        return False
    for number, point in enumerate(points):
        try:
            parse_rfc3339(point["interval"]["endTime"])
            point_value(point["value"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            text = f"expected interval.endTime and a value: {error!r}"
            found.problems.append(Problem(f"{pointer}/{number}", text))
            return False
    return True


def _add_descriptors(
    found: SnapshotImport, rows: Iterable[JsonObject], known: dict[str, JsonObject]
) -> None:
    for row in rows:
        metric, project = row["metric"], row["resource"]["labels"].get("project_id", "-")
        if metric["type"] in known:
            continue
        made = implied_descriptor(row, f"projects/{project}")
        known[metric["type"]] = found.tables[DESCRIPTORS][made["name"]] = made
        found.changes.append((f"/{SERIES}", f"the metric {metric['type']} gets a descriptor"))


def implied_descriptor(row: JsonObject, parent: str) -> JsonObject:
    """The descriptor of a metric that has none, as its first time series shows it."""
    metric = row["metric"]
    made: JsonObject = {
        "name": f"{parent}/metricDescriptors/{metric['type']}",
        "type": metric["type"],
        "labels": [{"key": name} for name in metric.get("labels") or {}],
        "metricKind": row["metricKind"],
        "valueType": row["valueType"],
        "monitoredResourceTypes": [row["resource"]["type"]],
    }
    return {**made, "unit": row["unit"]} if row.get("unit") else made
