"""Matchers in the values that authors write: what could never be used is refused."""

from collections.abc import Callable, Iterator, Mapping

from harness.cases.grammar.values import checked_pattern, checked_schema
from harness.model import Json, JsonObject, matcher_name


def checked(value: Json) -> Json:
    """The value, after a look at each matcher in it.

    Raises:
        ValueError: A matcher cannot be used; the message says which.
    """
    for name, matcher in _matchers(value):
        _CHECKS[name](matcher)
    return value


def _matchers(value: Json) -> Iterator[tuple[str, Json]]:
    if name := matcher_name(value):
        yield name, value
        inner = {"any_of": value[name], "contains": [value[name]]}.get(name, ())
        value = list(inner) if isinstance(inner, list | tuple) else ()
    children = value.values() if isinstance(value, dict) else value
    for child in children if isinstance(value, dict | list | tuple) else ():
        yield from _matchers(child)


def _any_of(matcher: Json) -> None:
    _of(list, matcher["any_of"], "'any_of' needs a list of values")


def _regex(matcher: Json) -> None:
    checked_pattern(_of(str, matcher["regex"], "'regex' needs a text"))


def _number(matcher: Json) -> None:
    operands = (matcher["number"], matcher.get("tolerance", 0))
    if any(isinstance(each, bool) or not isinstance(each, int | float) for each in operands):
        raise ValueError("'number' and 'tolerance' need numbers")
    if operands[1] < 0:
        raise ValueError("'tolerance' is below 0")


def _presence(matcher: Json) -> None:
    if not all(isinstance(each, bool) for each in matcher.values()):
        raise ValueError("'present' and 'absent' need true or false")


def _schema(matcher: Json) -> None:
    checked_schema(_of(dict, matcher["schema"], "'schema' needs a JSON Schema"))


def _glob(matcher: Json) -> None:
    _of(str, matcher["glob"], "'glob' needs a text")


def _contains(matcher: Json) -> None:
    if matcher["contains"] in ("", None):
        raise ValueError("'contains' needs something to look for")


def _of(kind: type[str | list[Json] | JsonObject], operand: Json, error: str) -> Json:
    right = isinstance(operand, kind) and len(operand) > 0
    if not right:
        raise ValueError(error)
    return operand


def _anything(_matcher: Json) -> None:
    """Any operand will do."""


_CHECKS: Mapping[str, Callable[[Json], None]] = {
    "any_of": _any_of,
    "regex": _regex,
    "number": _number,
    "present": _presence,
    "absent": _presence,
    "schema": _schema,
    "glob": _glob,
    "contains": _contains,
    "equals": _anything,
}
