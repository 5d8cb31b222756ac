"""Answers made from a schema alone, and the 501 that shows the fixture that would serve a call."""

import binascii
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import urlencode

import orjson

from mockserver.apis.generic.plans import Plan, fill_template
from mockserver.collections.places import with_value
from mockserver.googleapi import ApiError, Call, Method
from mockserver.model import Json, JsonMapping, JsonObject, Miss
from mockserver.state import rfc3339

_DEEPEST = 5
_UNKNOWN = ("UNSPECIFIED", "UNKNOWN", "UNDEFINED")
_SKIPPED = frozenset({"nextPageToken", "error", "errors", "warnings", "unreachable"})


def synthesize(method: Method, call: Call, *, deepest: int = _DEEPEST) -> JsonObject | None:
    """An answer in the shape of a method's response.

    Equal requests to sessions of one seed get equal answers. Fields that the request names as well
    (ids, names, parents, the body) have its values; enums have their first known value; lists have
    one item; what would nest deeper is left out.

    Args:
        method: The method.
        call: What was asked.
        deepest: How many levels of fields there are at most.

    Returns:
        The answer; None for a method without one.
    """
    if method.response is None:
        return None
    return _AnswerMaker(method, call, deepest).answer()


class _AnswerMaker:
    """Makes one answer."""

    def __init__(self, method: Method, call: Call, deepest: int) -> None:
        self._schemas: Mapping[str, JsonMapping] = method.document.schemas
        self._method = method
        self._deepest = deepest
        self._asked = {
            name: value for name, value in call.params.items() if isinstance(value, str | int)
        }
        self._body = call.body
        self._seed = f"{call.world.ids.seed}/{method.id}/{sorted(self._asked.items())}"
        # a moment that stays while the session's time goes on: equal requests, equal answers
        self._moment = rfc3339(call.world.base.captured_at + call.world.clock.shift)

    def answer(self) -> JsonObject:
        schema = self._schemas.get(self._method.response or "", {})
        made = self._object(schema, "", 0)
        same = self._method.request == self._method.response
        given = {name: value for name, value in self._body.items() if same and value is not None}
        return {**made, **given}

    def _object(self, schema: JsonMapping, path: str, depth: int) -> JsonObject:
        made: JsonObject = {}
        for name, spec in schema.get("properties", {}).items():
            if name in _SKIPPED or spec.get("deprecated"):
                continue
            value = self._value(spec, name, f"{path}/{name}", depth + 1)
            if value is not None:
                made[name] = value
        return made

    def _value(self, spec: JsonMapping, name: str, path: str, depth: int) -> Json:
        if "$ref" in spec:
            spec = self._schemas.get(spec["$ref"], {})
        kind = spec.get("type", "object" if "properties" in spec else "any")
        if kind == "array":
            item = (
                None
                if depth >= self._deepest
                else self._value(spec["items"], name, path, depth + 1)
            )
            return None if item is None else [item]
        if kind == "object":
            if depth >= self._deepest or "properties" not in spec:
                return None
            return self._object(spec, path, depth) or None
        return None if kind == "any" else self._scalar(spec, name, path, kind)

    def _scalar(self, spec: JsonMapping, name: str, path: str, kind: str) -> Json:
        if kind == "string" and "enum" in spec:
            return _known_value(spec["enum"])
        if "default" in spec and (name == "kind" or kind == "boolean"):
            return spec["default"] if kind == "string" else spec["default"] == "true"
        asked = self._value_of_request(name, path)
        if kind == "string" and asked:
            return asked
        return self._make_scalar(spec, name, path, kind)

    def _value_of_request(self, name: str, path: str) -> str:
        """The request's value for a field of the answer, or an empty string."""
        if path.count("/") > 3:
            return ""
        if name in self._asked:
            return str(self._asked[name])
        if name == "id":
            ids = [value for key, value in self._asked.items() if key.endswith("Id")]
            return str(ids[-1]) if ids else ""
        return ""

    def _make_scalar(self, spec: JsonMapping, name: str, path: str, kind: str) -> Json:
        digest = sha256(f"{self._seed}{path}".encode()).hexdigest()
        number = int(digest[:4], 16)
        form = spec.get("format", "")
        if kind == "boolean":
            return False
        if kind == "integer":
            return number % 100
        if kind == "number":
            return number % 1000 / 10
        texts = {
            "int64": str(number),
            "uint64": str(number),
            "date-time": self._moment,
            "google-datetime": self._moment,
            "date": self._moment[:10],
            "google-duration": f"{number % 60}s",
            "google-fieldmask": "*",
            "byte": binascii.b2a_base64(digest[:6].encode(), newline=False).decode(),
        }
        return texts.get(form) or f"{name}-{digest[:6]}"


def _known_value(values: list[str]) -> str:
    return next(
        (
            each
            for each in values
            if not each.upper().endswith(_UNKNOWN) and each.upper() not in _UNKNOWN
        ),
        values[0],
    )


_LONGEST_SNIPPET = 400
_SHALLOW = 2
_LISTS = frozenset({"list", "operations"})
_COLLECTIONS = frozenset({"list", "get", "patch", "update", "delete"})


def not_served(plan: Plan, call: Call) -> ApiError:
    """501: a method of Google's that this session has nothing for, with what would serve it."""
    method = plan.method
    fixture = snippet(plan, call)
    shown = fixture if len(fixture) <= _LONGEST_SNIPPET else "see the details of this error"
    text = (
        f"{method.id} is not emulated, and nothing in this session's snapshot answers it. "
        f"A fixture that would: {shown}"
    )
    return ApiError(
        501,
        text,
        reason="notImplemented",
        code_name="UNIMPLEMENTED",
        details=(
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "NO_FIXTURE",
                "domain": "understudy",
                "metadata": {"method": method.id, "fixture": fixture},
            },
        ),
        miss=Miss(blame="fixture_gap", reason=f"no fixture for {method.id}"),
    )


def snippet(plan: Plan, call: Call) -> str:
    """JSON of a snapshot that would answer a call: resources, or a literal answer."""
    if plan.verb in _COLLECTIONS and plan.item:
        return _json_text(
            {"resources": {plan.document_key: {plan.collection: [_example(plan, call)]}}}
        )
    return literal_snippet(plan, call)


def literal_snippet(plan: Plan, call: Call) -> str:
    """JSON of a snapshot with a literal answer to a call, and to its query where it has one."""
    method = plan.method
    asked = [
        (name, value)
        for name, given in call.params.items()
        if name in method.parameters and method.parameters[name].location == "query"
        for value in (given if isinstance(given, list) else [given])
    ]
    texts = [(name, str(each).lower() if isinstance(each, bool) else each) for name, each in asked]
    query = f"?{urlencode(texts)}" if texts and plan.verb in _LISTS else ""
    url = f"{method.document.host}/{fill_template(method.path, call.params)}{query}"
    answer: Json = {plan.list_key: [_example(plan, call)]} if plan.list_key else None
    answer = answer or synthesize(method, call, deepest=_SHALLOW)
    return _json_text({"http": [{"method": method.http_method, "url": url, "body": answer}]})


def _example(plan: Plan, call: Call) -> JsonObject:
    path = fill_template(plan.template, call.params)
    if plan.named:
        return {"name": path if plan.verb != "list" else f"{path}/example"}
    row: JsonObject = {name: call.params[name] for name in call.params if name in plan.template}
    for place, name in zip(plan.id_fields, plan.ids or ("id",), strict=False):
        if place:
            row = with_value(row, place, row.pop(name, "example"))
    return row


def _json_text(value: Json) -> str:
    return orjson.dumps(value).decode()
