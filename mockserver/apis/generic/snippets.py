"""The 501 of a call that nothing in the session serves, and the fixture that would."""

from urllib.parse import urlencode

import orjson

from mockserver.apis.generic.paths import fill
from mockserver.apis.generic.plans import Plan
from mockserver.apis.generic.rows import document_key, with_value
from mockserver.apis.generic.synthesis import synthesize
from mockserver.googleapi import ApiError, Call
from mockserver.model import Json, JsonObject, Miss

_SHOWN = 400
_SHALLOW = 2
_LISTS = frozenset({"list", "operations"})
_COLLECTIONS = frozenset({"list", "get", "patch", "update", "delete"})


def not_served(plan: Plan, call: Call) -> ApiError:
    """501: a method of Google's that this session has nothing for, with what would serve it."""
    method = plan.method
    fixture = snippet(plan, call)
    shown = fixture if len(fixture) <= _SHOWN else "see the details of this error"
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
        return _text({"resources": {document_key(plan): {plan.collection: [_example(plan, call)]}}})
    return literal(plan, call)


def literal(plan: Plan, call: Call) -> str:
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
    url = f"{method.document.host}/{fill(method.path, call.params)}{query}"
    answer: Json = {plan.list_key: [_example(plan, call)]} if plan.list_key else None
    answer = answer or synthesize(method, call, deepest=_SHALLOW)
    return _text({"http": [{"method": method.http_method, "url": url, "body": answer}]})


def _example(plan: Plan, call: Call) -> JsonObject:
    path = fill(plan.template, call.params)
    if plan.named:
        return {"name": path if plan.verb != "list" else f"{path}/example"}
    row: JsonObject = {name: call.params[name] for name in call.params if name in plan.template}
    for place, name in zip(plan.id_fields, plan.ids or ("id",), strict=False):
        if place:
            row = with_value(row, place, row.pop(name, "example"))
    return row


def _text(value: Json) -> str:
    return orjson.dumps(value).decode()
