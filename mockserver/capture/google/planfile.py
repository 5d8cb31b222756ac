"""Reads plans: everything that is wrong with one is told at once, each with its line."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import orjson
from pydantic import ValidationError

from mockserver.capture.google.checking import check_plan
from mockserver.capture.google.plans import Limits, Plan, PlannedCall
from mockserver.capture.google.references import NOW, Place, filled
from mockserver.errors import FormatError, InvalidFilesError, MockServerError, Problem
from mockserver.googleapi import Catalog
from mockserver.model import Json, did_you_mean
from mockserver.storage.untrusted_yaml import lines_of, load_yaml

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
            (tuple(each["loc"]), *_told(each["type"], each["msg"], each["loc"]))
            for each in error.errors(include_input=False, include_url=False)
        ]
        raise InvalidFilesError(_placed(path, text, found)) from error
    problems = tuple(check_plan(plan, catalog))
    if problems:
        raise InvalidFilesError(_placed(path, text, problems))
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


def _told(kind: str, message: str, place: tuple[str | int, ...]) -> tuple[str, str]:
    if kind != "extra_forbidden":
        return f"{'.'.join(map(str, place)) or 'the plan'}: {message}", ""
    model = Limits if place[0] == "limits" else _KNOWN.get(len(place), Plan)
    name = str(place[-1])
    return f"unknown field {name!r}", did_you_mean(name, model.model_fields)


def _placed(path: Path, text: str, found: Iterable[tuple[Place, str, str]]) -> list[Problem]:
    told = list(found)
    lines = lines_of(text, [place for place, _, _ in told])
    return [
        Problem(f"{path}:{line}", message, hint)
        for line, (_, message, hint) in zip(lines, told, strict=True)
    ]


def with_variables(plan: Plan, given: Iterable[str], now: str) -> dict[str, Json]:
    """The variables of a capture: the plan's, those given as `name=value`, and `now`.

    Args:
        plan: The plan; its variables may refer to those before them.
        given: What takes the place of the plan's; a JSON list is one, everything else is text.
        now: The moment of the capture, where it is not given.

    Raises:
        MockServerError: No `name=value`, a name that the plan does not have, one without value, or
            a reference that leads nowhere.
    """
    values: dict[str, Json] = {NOW: now, **plan.variables}
    for name, value in _pairs(given):
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
        values[name] = filled(value, values)
    return values


def _pairs(given: Iterable[str]) -> Iterator[tuple[str, Json]]:
    for text in given:
        name, is_pair, value = text.partition("=")
        if not is_pair or not name:
            raise MockServerError(f"--set {text!r} is no name=value")
        yield name, _value(value)


def _value(text: str) -> Json:
    try:
        found = orjson.loads(text) if text.startswith("[") else text
    except orjson.JSONDecodeError as error:
        raise MockServerError(f"--set {text!r} is no JSON list: {error}") from error
    return found
