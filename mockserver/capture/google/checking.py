"""Holds a plan against the Discovery documents: what is asked for has to be there, and to read."""

import re
from collections.abc import Iterable, Iterator

from mockserver.capture.google.plans import Plan, PlannedCall
from mockserver.capture.google.references import NOW, Place, references_in
from mockserver.googleapi import Catalog, Method
from mockserver.model import Json, JsonMapping, did_you_mean

Wrong = tuple[Place, str, str]
"""Place in the plan, message, hint."""

_READS = re.compile(
    r"^(list|search|resolve|query|get|batchGet|lookup|count|fetch|retrieve|analyze|testIam|read)",
)


def check_plan(plan: Plan, catalog: Catalog) -> Iterator[Wrong]:
    """What is wrong with a plan.

    Yields:
        Place, message and hint, in the order of the plan.
    """
    known = {NOW}
    for name, value in plan.variables.items():
        yield from _unknown_names(("variables", name), references_in(value), known)
        known.add(name)
    for number, call in enumerate(plan.calls):
        place: Place = ("calls", number)
        if call.id in known:
            yield (*place, "id"), f"{call.id!r} is the name of something else already", ""
        method = catalog.method(call.method, call.version)
        if method is None:
            yield (*place, "method"), *_unknown_method(call, catalog)
        else:
            yield from _of_method(place, call, method)
        yield from _references(place, call, known)
        known.add(call.id)


def _unknown_method(call: PlannedCall, catalog: Catalog) -> tuple[str, str]:
    if call.version and catalog.method(call.method):
        return f"{call.method} is not in version {call.version!r}", "leave `version` away"
    ids = {method.id for method in catalog.methods()}
    hint = did_you_mean(call.method, ids)
    if hint.startswith("known"):  # none is near, and there are thousands
        hint = "methods are named by their Discovery ids, see `mockserver apis`"
    return f"no method {call.method!r}", hint


def _of_method(place: Place, call: PlannedCall, method: Method) -> Iterator[Wrong]:
    if not reads(method):
        yield (*place, "method"), f"{method.id} changes things, and a capture only reads", ""
    for name in call.params:
        if name not in method.parameters:
            where = (*place, "params", name)
            hint = did_you_mean(name, method.parameters)
            yield where, f"{method.id} has no parameter {name!r}", hint
    for name, parameter in method.parameters.items():
        if parameter.required and name not in call.params:
            yield (
                place,
                f"{method.id} needs the parameter {name!r}",
                f"add it to params of {call.id}",
            )
    if call.body and method.request is None:
        yield (*place, "body"), f"{method.id} has no body", "its parameters go to `params`"
    elif method.request is not None:
        spec: JsonMapping = {"$ref": method.request}
        yield from _fields((*place, "body"), call.body, spec, method)


def reads(method: Method) -> bool:
    """Whether a method only reads, as its verb and its name say."""
    if method.http_method == "GET":
        return True
    return method.http_method == "POST" and bool(_READS.match(method.id.rpartition(".")[2]))


def _fields(place: Place, value: Json, spec: JsonMapping, method: Method) -> Iterator[Wrong]:
    """Unknown fields of a body, at any depth that its schema tells.

    Yields:
        What is wrong, in the order of the body.
    """
    schema = method.document.schemas.get(str(spec.get("$ref")), spec)
    if isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _fields((*place, number), inner, schema.get("items", {}), method)
        return
    properties = schema.get("properties")
    if not isinstance(value, dict) or not properties:
        return
    for name, inner in value.items():
        if name not in properties:
            hint = did_you_mean(name, properties)
            yield (*place, name), f"the body of {method.id} has no field {name!r}", hint
        else:
            yield from _fields((*place, name), inner, properties[name], method)


def _references(place: Place, call: PlannedCall, known: set[str]) -> Iterator[Wrong]:
    for path, name in call.references():
        here = known | (set(call.for_each) if path[0] != "for_each" else set())
        yield from _unknown_names(place, [(path, name)], here)


def _unknown_names(
    place: Place, names: Iterable[tuple[Place, str]], known: set[str]
) -> Iterator[Wrong]:
    for path, name in names:
        if name.startswith("${"):
            hint = "such as ${unit.orgUnitId|tail} or ${now-7d}"
            yield (*place, *path), f"{name} is no reference", hint
        elif name not in known:
            hint = did_you_mean(name, known) or "it is a variable, or the id of an earlier call"
            yield (*place, *path), f"nothing before is called {name!r}", hint
