"""Requests as a Discovery document allows them, about things that the bundled suites hold."""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from itertools import islice
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mockserver.googleapi import Method, Parameter
from tests.conformance.emulated import Asked
from tests.conformance.hints import BODIES, FIELDS, PARAMS, ROOTS, SEGMENTS
from tests.conformance.schemas import faults

T = TypeVar("T")

_DEEPEST = 4
_LONGEST = 200
_ENOUGH_NAMES = 12
_ENOUGH = 2
"""Fields that a resource must have to be told from others by its schema."""

_ANY = "[^/]+"
_TIMES = ("2026-11-13T09:00:00Z", "2026-11-20T06:30:00.25Z", "2026-11-20T08:59:59.123456789Z")


def _base64(raw: bytes) -> str:
    return b64encode(raw).decode()


_PLAIN: Mapping[str, SearchStrategy[Any]] = {
    "google-datetime": st.sampled_from(_TIMES),
    "date-time": st.sampled_from(_TIMES),
    "google-duration": st.sampled_from(("60s", "300s", "3600.5s")),
    "int64": st.integers(0, 1000).map(str),
    "uint64": st.integers(0, 1000).map(str),
    "byte": st.binary(max_size=8).map(_base64),
    "google-fieldmask": st.just("*"),
    "int32": st.integers(0, 100),
    "uint32": st.integers(0, 100),
    "double": st.sampled_from((0.0, 0.5, 2.25)),
    "float": st.sampled_from((0.0, 0.5, 2.25)),
}
_OTHERWISE: Mapping[str, SearchStrategy[Any]] = {
    "string": st.sampled_from(("alpha", "Beta 2", "gamma-3", "naïve ☂")),
    "boolean": st.booleans(),
    "integer": st.integers(0, 100),
    "number": st.sampled_from((0, 0.5, 2.25)),
    "any": st.sampled_from(("x", 1, True)),
}


class Requests:
    """Makes calls.

    Args:
        strings: Texts of the world that is asked; those that fit a parameter's pattern are used.
        rows: Resources of that world; those that fit a body's schema are used.
    """

    def __init__(self, strings: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> None:
        self._strings = sorted({text for text in strings if 0 < len(text) <= _LONGEST})
        self._rows = tuple(rows)
        self._names = cache(self._matching)
        self._alike: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}

    def of(self, method: Method) -> SearchStrategy[Asked]:
        needed: dict[str, SearchStrategy[Any]] = {}
        others: dict[str, SearchStrategy[Any]] = {}
        for parameter in method.parameters.values():
            made = self._parameter(method, parameter)
            wanted = parameter.required or parameter.location == "path"
            (needed if wanted else others)[parameter.name] = made
        prepared = _hint(PARAMS, method)
        if prepared is not None:
            needed |= {
                name: st.sampled_from(values)
                for name, values in prepared.items()
                if name in method.parameters
            }
        optional = {name: made for name, made in others.items() if name not in needed}
        optional.pop("pageToken", None)
        params = st.fixed_dictionaries(needed, optional=optional)
        return st.builds(Asked, st.just(method), params, self._body(method))

    def names(self, parameter: Parameter) -> Sequence[str]:
        """What a path parameter may be, of what the world holds first."""
        return self._names(parameter.pattern)

    def _parameter(self, method: Method, parameter: Parameter) -> SearchStrategy[Any]:
        known = FIELDS.get(parameter.name)
        if known is not None and _allowed(parameter, known[0]):
            made: SearchStrategy[Any] = st.sampled_from(known)
        elif parameter.pattern.startswith("^"):
            made = st.sampled_from(self._names(parameter.pattern))
        elif parameter.name in {"pageSize", "maxResults"}:
            made = st.integers(1, 5)
        elif parameter.name == "updateMask":
            made = st.sampled_from(_fields(method)).map(str)
        else:
            schema = {"type": parameter.type, "format": parameter.format}
            if parameter.enum:
                schema["enum"] = parameter.enum  # type: ignore[assignment]
            made = _scalar(schema)
        return st.lists(made, max_size=2) if parameter.repeated else made

    def _matching(self, pattern: str) -> list[str]:
        compiled = re.compile(pattern)
        anywhere = pattern.startswith(f"^{_ANY}")
        found = [
            text
            for text in self._strings
            if compiled.fullmatch(text) and (text.startswith(ROOTS) or not anywhere)
        ]
        made = _assembled(pattern)
        return [*found[:_ENOUGH_NAMES], *made[: 1 if found else _ENOUGH_NAMES]]

    def _body(self, method: Method) -> SearchStrategy[Any]:
        prepared = _hint(BODIES, method)
        if method.request is None:
            return st.none()
        schema = method.document.schemas[method.request]
        if prepared is not None:
            return st.sampled_from([_known(schema, body) for body in prepared])
        made = _message(method, schema, 0)
        place = (method.api, method.version, method.request)
        if place not in self._alike:
            fitting = (row for row in self._rows if _fits(method, schema, row))
            self._alike[place] = list(islice(fitting, 5))
        alike = self._alike[place]
        return st.sampled_from(alike) | made if alike else made


def _assembled(pattern: str) -> list[str]:
    """Names made of known segments, `projects/shop-prod/locations/global`."""
    names: list[tuple[str, ...]] = [()]
    for segment in pattern.strip("^$").replace(_ANY, "*").replace(".*", "*").split("/"):
        names = [(*name, choice) for name in names for choice in _choices(segment, name)]
    return ["/".join(name) for name in names[:_ENOUGH_NAMES]]


def _choices(segment: str, before: tuple[str, ...]) -> Sequence[str]:
    if segment != "*":
        return (segment,)
    return SEGMENTS.get(before[-1], ("unknown-1",)) if before else ROOTS


def _known(schema: Mapping[str, Any], body: Mapping[str, Any]) -> Mapping[str, Any]:
    fields = schema.get("properties")
    return {name: value for name, value in body.items() if fields is None or name in fields}


def _hint(table: Mapping[str, T], method: Method) -> T | None:
    return next((hint for glob, hint in table.items() if fnmatchcase(method.id, glob)), None)


def _allowed(parameter: Parameter, value: str) -> bool:
    if parameter.pattern.startswith("^"):
        return re.fullmatch(parameter.pattern, value) is not None
    return not parameter.enum


def _fits(method: Method, schema: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    return len(row) >= _ENOUGH and next(faults(method.document, schema, row), None) is None


def _fields(method: Method) -> list[str]:
    schema = method.document.schemas.get(method.request or "", {})
    writable = [
        name for name, each in schema.get("properties", {}).items() if not each.get("readOnly")
    ]
    return [*writable, "*"]


def _message(method: Method, schema: Mapping[str, Any], depth: int) -> SearchStrategy[Any]:
    schema = _resolved(method, schema)
    kind = schema.get("type", "any")
    if kind == "array":
        return st.lists(_message(method, schema["items"], depth + 1), max_size=2)
    if kind != "object":
        return _scalar(schema)
    properties = {
        name: _field(method, name, each, depth + 1)
        for name, each in schema.get("properties", {}).items()
        if not each.get("readOnly") and (depth < _DEEPEST or _is_plain(method, each))
    }
    if not properties and "additionalProperties" in schema:
        inner = _message(method, schema["additionalProperties"], depth + 1)
        return st.dictionaries(st.sampled_from(("env", "team")), inner, max_size=2)
    return st.fixed_dictionaries({}, optional=properties)


def _field(method: Method, name: str, schema: Mapping[str, Any], depth: int) -> SearchStrategy[Any]:
    known = FIELDS.get(name)
    kind = schema.get("type")
    if known is None or kind not in {"string", "array"} or "enum" in schema:
        return _message(method, schema, depth)
    if kind == "string":
        return st.sampled_from(known)
    plain = schema["items"].get("type") == "string"
    return (
        st.lists(st.sampled_from(known), max_size=2) if plain else _message(method, schema, depth)
    )


def _resolved(method: Method, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in schema:
        schema = method.document.schemas[schema["$ref"]]
    return schema


def _is_plain(method: Method, schema: Mapping[str, Any]) -> bool:
    return _resolved(method, schema).get("type") not in {"object", "array"}


def _scalar(schema: Mapping[str, Any]) -> SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(list(schema["enum"]))
    form = schema.get("format", "")
    return _PLAIN[form] if form in _PLAIN else _OTHERWISE[schema.get("type", "any")]
