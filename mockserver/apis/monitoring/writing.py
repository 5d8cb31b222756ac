"""Answers `timeSeries.create`: points of metrics that users define.

The texts of the refusals are not verified against the live API.
"""

from mockserver.apis.monitoring.descriptors import OWN_PREFIXES
from mockserver.apis.monitoring.moments import DAY, MINUTE, SECOND, read_time, write_time
from mockserver.apis.monitoring.parameters import now, project_of
from mockserver.apis.monitoring.series import WRITTEN, series_key
from mockserver.apis.monitoring.snapshot import DESCRIPTORS, VALUE_TYPES, implied_descriptor
from mockserver.googleapi import Call, invalid
from mockserver.model import JsonObject
from mockserver.state import Table, find_project

_MOST = 200
_OLDEST = DAY + 3600 * SECOND
_AHEAD = 5 * MINUTE
_FAILED = "One or more TimeSeries could not be written: "


def create_time_series(call: Call) -> JsonObject:
    """Answers `timeSeries.create`; all series are written, or none.

    Raises:
        ApiError: 400: none or more than 200 series, not one point each, a metric that is not the
            user's, a time that is too old, in the future or not after the last point's.
    """
    given = call.body.get("timeSeries") or []
    if not 0 < len(given) <= _MOST:
        raise invalid(f"Field timeSeries must hold between 1 and {_MOST} time series.")
    rows = [_row(call, each, f"timeSeries[{place}]") for place, each in enumerate(given)]
    if len({series_key(row) for row in rows}) < len(rows):
        raise invalid(_FAILED + "Points of one time series must be written one at a time.")
    for row in rows:
        _write(call, row)
    return {}


def _row(call: Call, given: JsonObject, where: str) -> JsonObject:
    metric, resource = given.get("metric") or {}, given.get("resource") or {"type": "global"}
    kind = str(metric.get("type", ""))
    if not kind.startswith(OWN_PREFIXES):
        why = f"the metric type must start with one of {', '.join(OWN_PREFIXES)}"
        raise invalid(f'Field {where}.metric.type had an invalid value of "{kind}": {why}.')
    points = given.get("points") or []
    if len(points) != 1:
        raise invalid(f"Field {where}.points must hold exactly one point.")
    project = project_of(call.params).partition("/")[2]
    known = find_project(call.world, project)
    labels = {
        "project_id": (known or {}).get("projectId", project),
        **(resource.get("labels") or {}),
    }
    row = {
        "metric": metric,
        "resource": {"type": resource.get("type", "global"), "labels": labels},
        "metricKind": given.get("metricKind") or "GAUGE",
        "valueType": given.get("valueType") or _value_type(points[0], where),
        "points": [_point(call, points[0], where)],
    }
    _check_order(call, row, where)
    return {**row, "unit": given["unit"]} if given.get("unit") else row


def _value_type(point: JsonObject, where: str) -> str:
    for name in point.get("value") or ():
        if name in VALUE_TYPES:
            return VALUE_TYPES[name]
    raise invalid(f"Field {where}.points[0].value must be set.")


def _point(call: Call, point: JsonObject, where: str) -> JsonObject:
    _value_type(point, where)
    text = str((point.get("interval") or {}).get("endTime", ""))
    try:
        end = read_time(text)
        start = read_time(str(point["interval"].get("startTime") or text))
    except (ValueError, OverflowError) as error:
        raise invalid(f"Field {where}.points[0].interval had an invalid value: {error}.") from error
    if not now(call) - _OLDEST <= end <= now(call) + _AHEAD or start > end:
        why = "Points must lie between 25 hours ago and 5 minutes from now."
        raise invalid(f"{_FAILED}{why}: {where}")
    interval = {"startTime": write_time(start), "endTime": write_time(end)}
    return {"interval": interval, "value": point["value"]}


def _check_order(call: Call, row: JsonObject, where: str) -> None:
    before = call.world.table(WRITTEN).get(series_key(row))
    if before is None:
        return
    last = before["points"][-1]["interval"]["endTime"]
    if read_time(last) >= read_time(row["points"][0]["interval"]["endTime"]):
        why = "Points must be written in order. One or more of the points specified had an older "
        raise invalid(f"{_FAILED}{why}end time than the most recent point.: {where}")


def _write(call: Call, row: JsonObject) -> None:
    key, world = series_key(row), call.world
    before = world.table(WRITTEN).get(key)
    if before is not None:
        row = {**before, "points": [*before["points"], *row["points"]]}
    world.put(WRITTEN, key, row)
    parent = project_of(call.params)
    if row["metric"]["type"] not in world.table(DESCRIPTORS).derived(_types):
        made = implied_descriptor(row, parent)
        world.put(DESCRIPTORS, made["name"], made)


def _types(table: Table) -> frozenset[str]:
    return frozenset(row["type"] for row in table.rows().values())
