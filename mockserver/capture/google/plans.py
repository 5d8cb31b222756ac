"""Plans of captures: which methods of Google's APIs are called, in which order, with what.

A plan is a YAML file; everything that is wrong with one is told at once, each with its line. Values
may be references, `${orgUnits.organizationUnits[*].orgUnitId|tail}`: a name (a variable, an earlier
call, a name of `for_each`) and a path below it. `.x` is a field, `[0]` an item, `[*]` every item;
`|tail` takes what follows the last `/` or `:`. `${now}` is the moment of the capture, `${now-7d}` a
week before (units s, m, h, d). A text that is one reference keeps the kind of what it refers to.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

import orjson
from pydantic import Field, ValidationError

from mockserver.errors import FormatError, InvalidFilesError, MockServerError, Problem, plain_reason
from mockserver.googleapi import Catalog, Method
from mockserver.model import Frozen, Json, JsonMapping, JsonObject, did_you_mean
from mockserver.state import parse_rfc3339, rfc3339
from mockserver.storage.untrusted_yaml import lines_of, load_yaml

NOW = "now"
"""The name of the moment of the capture."""

_REFERENCE = re.compile(r"\$\{([^{}]*)\}")
_FORM = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z0-9_]*)(?P<path>(?:\.[A-Za-z0-9_-]+|\[(?:\*|\d+)\])*)"
    r"(?P<offset>[+-]\d+[smhd])?(?P<tail>\|tail)?"
)
_STEP = re.compile(r"\.([A-Za-z0-9_-]+)|\[(\*|\d+)\]")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
Place = tuple[str | int, ...]
FIELDS = "fields"
"""The parameter of every method that says which fields its answer is to have."""


class ReferenceFailureError(MockServerError):
    """A reference that cannot be read, or leads nowhere."""


def references_in(value: Json, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """Every name that a value refers to, with its place.

    A reference that cannot be read is told by its whole text.

    Yields:
        Place and name.

    >>> list(references_in({"a": ["x ${unit.id}", "${now-1d}"]}))
    [(('a', 0), 'unit'), (('a', 1), 'now')]
    """
    if isinstance(value, str):
        for text in _REFERENCE.findall(value):
            form = _FORM.fullmatch(text)
            yield place, form["name"] if form else f"${{{text}}}"
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from references_in(inner, (*place, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from references_in(inner, (*place, number))


def fill_references(value: Json, known: Mapping[str, Json]) -> Json:
    """A value with its references followed.

    Args:
        value: As the plan has it.
        known: Name to what it stands for; `now` is an RFC 3339 timestamp.

    Raises:
        ReferenceFailureError: A name is unknown, a path leads nowhere, or a list or an object is
            in the middle of a text.

    >>> fill_references("orgunits/${unit.id|tail}", {"unit": {"id": "id:03ph2"}})
    'orgunits/03ph2'
    >>> fill_references("${now-1d}", {"now": "2026-11-20T09:00:00Z"})
    '2026-11-19T09:00:00.000Z'
    """
    if isinstance(value, str):
        return _fill_text(value, known)
    if isinstance(value, dict):
        return {key: fill_references(inner, known) for key, inner in value.items()}
    if isinstance(value, list):
        return [fill_references(inner, known) for inner in value]
    return value


def _fill_text(text: str, known: Mapping[str, Json]) -> Json:
    whole = _REFERENCE.fullmatch(text)
    if whole:
        return _follow(whole[1], known)

    def inside(match: re.Match[str]) -> str:
        found = _follow(match[1], known)
        if isinstance(found, dict | list) or found is None:
            raise ReferenceFailureError(
                f"${{{match[1]}}} is {_kind(found)} and stands inside of a text",
                hint="refer to a text or a number",
            )
        return str(found).lower() if isinstance(found, bool) else str(found)

    return _REFERENCE.sub(inside, text)


def _follow(text: str, known: Mapping[str, Json]) -> Json:
    form = _FORM.fullmatch(text)
    if form is None:
        raise ReferenceFailureError(
            f"${{{text}}} is no reference", hint="such as ${unit.orgUnitId|tail} or ${now-7d}"
        )
    if form["name"] not in known:
        raise ReferenceFailureError(f"${{{text}}}: nothing is called {form['name']!r}")
    found = _value_below(known[form["name"]], form["path"], text)
    if form["offset"]:
        found = _shift_time(found, form["offset"], text)
    return _last_parts(found) if form["tail"] else found


def _value_below(value: Json, path: str, text: str) -> Json:
    steps = _STEP.findall(path)
    for number, (name, index) in enumerate(steps):
        if index == "*":
            rest = "".join(
                f".{name}" if name else f"[{index}]" for name, index in steps[number + 1 :]
            )
            return _every_item(value, rest, text)
        if name and isinstance(value, dict):
            value = value.get(name)
        elif index and isinstance(value, list) and int(index) < len(value):
            value = value[int(index)]
        else:
            raise ReferenceFailureError(
                f"${{{text}}} leads nowhere: there is {_kind(value)} before"
                f" {name or f'[{index}]'!r}"
            )
    return value


def _every_item(value: Json, rest: str, text: str) -> list[Json]:
    """What is at `rest` below every item; items without it are left out, lists are joined."""
    found: list[Json] = []
    for item in value if isinstance(value, list) else ():
        try:
            inner = _value_below(item, rest, text)
        except ReferenceFailureError:
            continue
        if isinstance(inner, list) and "[*]" in rest:
            found += inner
        elif inner is not None:
            found.append(inner)
    return found


def _shift_time(moment: Json, offset: str, text: str) -> Json:
    step = timedelta(**{_UNITS[offset[-1]]: int(offset[:-1])})
    try:
        return rfc3339(parse_rfc3339(str(moment)) + step)
    except ValueError as error:
        raise ReferenceFailureError(f"${{{text}}}: {error}") from error


def _last_parts(value: Json) -> Json:
    if isinstance(value, list):
        return [_last_parts(inner) for inner in value]
    return re.split(r"[/:]", str(value))[-1]


def _kind(value: Json) -> str:
    kinds: dict[type, str] = {dict: "an object", list: "a list", type(None): "nothing"}
    return kinds.get(type(value), "a value")


_NAME = r"^[A-Za-z][A-Za-z0-9_]*$"
Name = Annotated[str, Field(pattern=_NAME)]


class Limits(Frozen):
    """How much is asked for, and how fast.

    Attributes:
        max_pages: Pages that one call is followed for.
        max_items: Items after which no further page of a call is asked for.
        qps: Requests in a second, over all calls.
        retries: How often a request is sent again after an answer that asks for patience.
    """

    max_pages: int = Field(default=100, ge=1)
    max_items: int = Field(default=10_000, ge=1)
    qps: float = Field(default=5.0, gt=0)
    retries: int = Field(default=5, ge=0)


class PlannedCall(Frozen):
    """One call of a plan, or one for each of several values.

    Attributes:
        id: What later calls refer to it by.
        method: Discovery id, `directory.orgunits.list`.
        version: The document's version, where the method is in several.
        params: Path and query parameters as the Discovery document names them.
        body: The request's body.
        for_each: Name to a reference or a list; the call is made for each value of it, and for
            each combination where there are several names.
        max_pages: As in `Limits`, for this call.
        max_items: As in `Limits`, for this call.
        optional: Whether the capture may succeed although this call fails.
    """

    id: Name
    method: str
    version: str = ""
    params: dict[str, Json] = {}
    body: JsonObject = {}
    for_each: dict[Name, str | list[Json]] = {}
    max_pages: int | None = Field(default=None, ge=1)
    max_items: int | None = Field(default=None, ge=1)
    optional: bool = False

    def references(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """What the call refers to.

        Yields:
            Where in the call, and the name that is referred to.
        """
        for place in ("params", "body", "for_each"):
            for path, name in references_in(getattr(self, place)):
                yield (place, *path), name


class Plan(Frozen):
    """A plan.

    Attributes:
        version: Of the form of plans.
        name: What it captures, one word or two.
        about: A sentence for people.
        variables: Name to default; one without a default (null) has to be given.
        limits: How much, how fast.
        calls: In order; a call refers to earlier ones only.
    """

    version: Literal[1] = 1
    name: str
    about: str = ""
    variables: dict[Name, Json] = {}
    limits: Limits = Limits()
    calls: tuple[PlannedCall, ...] = Field(min_length=1)


PlanProblem = tuple[Place, str, str]
"""Place in the plan, message, hint."""

_READS = re.compile(
    r"^(list|search|resolve|query|get|batchGet|lookup|count|fetch|retrieve|analyze|testIam|read)",
)


def check_plan(plan: Plan, catalog: Catalog) -> Iterator[PlanProblem]:
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
            yield from _check_method(place, call, method)
        yield from _check_references(place, call, known)
        known.add(call.id)


def _unknown_method(call: PlannedCall, catalog: Catalog) -> tuple[str, str]:
    if call.version and catalog.method(call.method):
        return f"{call.method} is not in version {call.version!r}", "leave `version` away"
    ids = sorted({method.id for method in catalog.methods()})
    api = call.method.partition(".")[0]
    hint = did_you_mean(call.method, [each for each in ids if each.startswith(f"{api}.")] or ids)
    if hint.startswith("known"):  # none is near, and there are thousands
        hint = "methods are named by their Discovery ids, see `understudy apis`"
    return f"no method {call.method!r}", hint


def _check_method(place: Place, call: PlannedCall, method: Method) -> Iterator[PlanProblem]:
    if not is_read_only(method):
        yield (*place, "method"), f"{method.id} changes things, and a capture only reads", ""
    for name in call.params:
        if name not in method.parameters and name != FIELDS:
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
        yield from _check_fields((*place, "body"), call.body, spec, method)


def is_read_only(method: Method) -> bool:
    """Whether a method only reads, as its verb and its name say."""
    if method.http_method == "GET":
        return True
    return method.http_method == "POST" and bool(_READS.match(method.id.rpartition(".")[2]))


def _check_fields(
    place: Place, value: Json, spec: JsonMapping, method: Method
) -> Iterator[PlanProblem]:
    """Unknown fields of a body, at any depth that its schema tells.

    Yields:
        What is wrong, in the order of the body.
    """
    schema = method.document.schemas.get(str(spec.get("$ref")), spec)
    if isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _check_fields((*place, number), inner, schema.get("items", {}), method)
        return
    properties = schema.get("properties")
    if not isinstance(value, dict) or not properties:
        return
    for name, inner in value.items():
        if name not in properties:
            hint = did_you_mean(name, properties)
            yield (*place, name), f"the body of {method.id} has no field {name!r}", hint
        else:
            yield from _check_fields((*place, name), inner, properties[name], method)


def _check_references(place: Place, call: PlannedCall, known: set[str]) -> Iterator[PlanProblem]:
    for path, name in call.references():
        here = known | (set(call.for_each) if path[0] != "for_each" else set())
        yield from _unknown_names(place, [(path, name)], here)


def _unknown_names(
    place: Place, names: Iterable[tuple[Place, str]], known: set[str]
) -> Iterator[PlanProblem]:
    for path, name in names:
        if name.startswith("${"):
            hint = "such as ${unit.orgUnitId|tail} or ${now-7d}"
            yield (*place, *path), f"{name} is no reference", hint
        elif name not in known:
            hint = did_you_mean(name, known) or "it is a variable, or the id of an earlier call"
            yield (*place, *path), f"nothing before is called {name!r}", hint


_LARGEST = 1 << 20
_KNOWN: Mapping[int, type[Plan | PlannedCall | Limits]] = {1: Plan, 3: PlannedCall}
"""Depth of a field in a plan to the model that it is of."""


def read_plan(path: Path, catalog: Catalog) -> tuple[Plan, Json]:
    """Read a plan and hold it against the Discovery documents.

    Args:
        path: A YAML (or JSON) file.
        catalog: The documents.

    Returns:
        The plan, and its content as written.

    Raises:
        FormatError: It cannot be read, or is no YAML.
        InvalidFilesError: It is no plan, or asks for what there is not; all problems with lines.
    """
    text = _read(path)
    raw = load_yaml(text, str(path))
    try:
        plan = Plan.model_validate(raw)
    except ValidationError as error:
        found = [
            (tuple(each["loc"]), *_validation_message(each["type"], each["msg"], each["loc"]))
            for each in error.errors(include_input=False, include_url=False)
        ]
        raise InvalidFilesError(_with_lines(path, text, found)) from error
    problems = tuple(check_plan(plan, catalog))
    if problems:
        raise InvalidFilesError(_with_lines(path, text, problems))
    return plan, raw


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise FormatError(str(path), f"larger than {_LARGEST >> 20} MiB, which no plan is")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise FormatError(str(path), f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise FormatError(str(path), f"not UTF-8: {error.reason}") from error


def _validation_message(kind: str, message: str, place: tuple[str | int, ...]) -> tuple[str, str]:
    if kind != "extra_forbidden":
        return f"{'.'.join(map(str, place)) or 'the plan'}: {plain_reason(message)}", ""
    model = Limits if place[0] == "limits" else _KNOWN.get(len(place), Plan)
    name = str(place[-1])
    return f"unknown field {name!r}", did_you_mean(name, model.model_fields)


def _with_lines(path: Path, text: str, found: Iterable[tuple[Place, str, str]]) -> list[Problem]:
    told = list(found)
    lines = lines_of(text, [place for place, _, _ in told])
    return [
        Problem(f"{path}:{line}", message, hint)
        for line, (_, message, hint) in zip(lines, told, strict=True)
    ]


def with_variables(plan: Plan, assignments: Iterable[str], now: str) -> dict[str, Json]:
    """The variables of a capture: the plan's, those given as `name=value`, and `now`.

    Args:
        plan: The plan; its variables may refer to those before them.
        assignments: Take the place of the plan's; a JSON list is one, all else is text.
        now: The moment of the capture, where it is not given.

    Raises:
        MockServerError: No `name=value`, a name that the plan does not have, one without value, or
            a reference that leads nowhere.
    """
    values: dict[str, Json] = {NOW: now, **plan.variables}
    for name, value in _read_variables(assignments):
        if name not in values:
            raise MockServerError(
                f"the plan {plan.name!r} has no variable {name!r}", hint=did_you_mean(name, values)
            )
        values[name] = value
    missing = [name for name, value in values.items() if value is None]
    if missing:
        options = " ".join(f"--set {name}=..." for name in missing)
        raise MockServerError(f"the plan {plan.name!r} needs {', '.join(missing)}", hint=options)
    for name, value in values.items():
        values[name] = fill_references(value, values)
    return values


def _read_variables(assignments: Iterable[str]) -> Iterator[tuple[str, Json]]:
    for text in assignments:
        name, is_pair, value = text.partition("=")
        if not is_pair or not name:
            raise MockServerError(f"--set {text!r} is no name=value")
        yield name, _variable_value(value)


def _variable_value(text: str) -> Json:
    try:
        found = orjson.loads(text) if text.startswith("[") else text
    except orjson.JSONDecodeError as error:
        raise MockServerError(f"--set {text!r} is no JSON list: {error}") from error
    return found
