"""Emulates Cloud Monitoring: time series, alerting, services, dashboards and PromQL.

The Discovery document has most routes of Prometheus by POST alone, and none of them takes
`match[]`, which is how Prometheus clients name it. Source: Prometheus HTTP API reference.
"""

from collections.abc import Iterator

from mockserver.apis.monitoring.collections import CAPTURES, COLLECTIONS, RESOURCES
from mockserver.googleapi import Api, LazyHandlers, lazy_import
from mockserver.googleapi.resource_documents import document_head
from mockserver.model import JsonObject

_PATH = "v1/{+name}/location/{location}/prometheus/api/v1/"
_ID = "monitoring.projects.location.prometheus.api.v1."
_SCOPES = (
    "https://www.googleapis.com/auth/cloud-platform",
    "https://www.googleapis.com/auth/monitoring",
    "https://www.googleapis.com/auth/monitoring.read",
)
_TEXT: JsonObject = {"type": "string"}
_SEVERAL: JsonObject = {"type": "array", "items": _TEXT}
_SPAN = ("start", "end")
_TEXTS = {
    "query": ("query", "time", "timeout"),
    "query_range": ("query", *_SPAN, "step", "timeout"),
    "series": _SPAN,
    "labels": _SPAN,
}
_MATCHED = frozenset({"series", "labels"})


def _parameters(names: tuple[str, ...], *, matched: bool) -> JsonObject:
    found: JsonObject = {
        "name": {
            "type": "string",
            "location": "path",
            "required": True,
            "pattern": "^projects/[^/]+$",
        },
        "location": {"type": "string", "location": "path", "required": True},
    }
    for name in names:
        found[name] = {"type": "string", "location": "query"}
    if matched:
        for name in ("match", "match[]"):
            found[name] = {"type": "string", "location": "query", "repeated": True}
    return found


def _methods() -> Iterator[JsonObject]:
    for name, texts in _TEXTS.items():
        for verb, ending in (("POST", ""), ("GET", ".get")):
            method: JsonObject = {
                "id": f"{_ID}{name}{ending}",
                "httpMethod": verb,
                "path": _PATH + name,
                "parameters": _parameters(texts, matched=name in _MATCHED),
                "response": {"$ref": "PrometheusAnswer"},
                "scopes": list(_SCOPES),
            }
            yield {**method, "request": {"$ref": _schema_name(name)}} if verb == "POST" else method
    values: JsonObject = {
        "id": f"{_ID}label.values",
        "httpMethod": "GET",
        "path": f"{_PATH}label/{{label}}/values",
        "parameters": {
            **_parameters(_SPAN, matched=True),
            "label": {"type": "string", "location": "path", "required": True},
        },
        "response": {"$ref": "PrometheusAnswer"},
        "scopes": list(_SCOPES),
    }
    yield values
    yield {
        **values,
        "id": f"{_ID}metadata.list",
        "path": f"{_PATH}metadata",
        "parameters": _parameters(("limit", "metric"), matched=False),
    }


def _schema_name(name: str) -> str:
    return "".join(part.title() for part in name.split("_")) + "Request"


def _schemas() -> JsonObject:
    answer: JsonObject = {"id": "PrometheusAnswer", "type": "object"}
    answer["additionalProperties"] = {"type": "any"}
    found: JsonObject = {"PrometheusAnswer": answer}
    for name, texts in _TEXTS.items():
        ident = _schema_name(name)
        fields = dict.fromkeys(texts, _TEXT)
        if name in _MATCHED:
            fields |= {"match": _SEVERAL, "match[]": _SEVERAL}
        found[ident] = {"id": ident, "type": "object", "properties": fields}
    return found


PROMETHEUS: JsonObject = {
    **document_head(
        "monitoring",
        "v1.prometheus",
        "Cloud Monitoring API: Prometheus",
        "monitoring.googleapis.com",
    ),
    "resources": {"prometheus": {"methods": {each["id"]: each for each in _methods()}}},
    "schemas": _schemas(),
}
"""The routes in Discovery's form."""


API = Api(
    name="monitoring",
    documents=(("monitoring", "v3"), ("monitoring", "v1")),
    handlers=LazyHandlers(__name__, "series_methods", "COMPUTING_HANDLERS"),
    relies=(
        "Rely on: filters and aggregation of time series (aligners, reducers, groups), points "
        "that are written, descriptors, PromQL, objectives of services, alert policies and "
        "dashboards as resources. Not there: alerts that fire, notifications, uptime checks "
        "that run. Proof: `tests/mockserver/apis/monitoring`."
    ),
    resources=RESOURCES,
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    supplements=(PROMETHEUS,),
    captures=lambda: CAPTURES,
    long=(
        "monitoring.projects.location.prometheus.",
        "monitoring.projects.timeSeries.list",
        "monitoring.projects.timeSeries.query",
    ),
)
