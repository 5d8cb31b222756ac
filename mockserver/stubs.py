"""Literal answers as suites write them, and when a value is as they want it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError, model_validator

from mockserver.errors import plain_reason
from mockserver.model import FEW, Frozen, Json, JsonObject, did_you_mean
from mockserver.templates import TemplateError, condition, template_problems


class StubAnswer(Frozen):
    """What a stub answers.

    Attributes:
        status: The HTTP status.
        headers: Further headers.
        body: JSON, or a text that is sent as it is.
        delay_ms: How long it is held back, in milliseconds.
    """

    status: int = Field(default=200, ge=100, le=599)
    headers: dict[str, str] = {}
    body: Json = None
    delay_ms: float = Field(default=0, ge=0, le=600_000, allow_inf_nan=False)


class StubMatch(Frozen):
    """What a request must have besides its address, each name with a value or a matcher.

    Attributes:
        query: Query parameters.
        headers: Headers.
        body: Fields of a JSON object, or of a form.
    """

    query: JsonObject = {}
    headers: JsonObject = {}
    body: JsonObject = {}


class StubRules(StubAnswer):
    """A literal answer, whatever its address.

    Attributes:
        id: What the journal calls the request, and what faults and expectations name it by.
        match: What a request must have besides its address.
        when: An expression that must hold, `state.bookings.B1.status == "confirmed"`.
        template: Whether the texts in `headers` and `body` are templates.
        sequence: Answers in their order; what they leave out is as the stub says.
        then: What comes after the last of the sequence: that again, the first, or no answer.
    """

    id: str = ""
    match: StubMatch = StubMatch()
    when: str = ""
    template: bool = False
    sequence: tuple[JsonObject, ...] = ()
    then: Literal["last", "repeat", "miss"] = "last"


class StubProblem(NamedTuple):
    """One thing in a stub that cannot be served.

    Attributes:
        pointer: Where it is, a JSON pointer from the stub on.
        message: What is wrong.
        hint: What to do, or an empty string.
    """

    pointer: str
    message: str
    hint: str = ""


class SocketStep(Frozen):
    """One step of a WebSocket: what the client must say, what it is sent, or the end.

    Attributes:
        receive: What its next message must be: fields of a JSON object, each with a value or a
            matcher, or a text.
        send: A message: JSON, or a text that is sent as it is.
        close: The code that the connection is closed with.
        delay_ms: How long the step is held back, in milliseconds.
    """

    receive: JsonObject | str | None = None
    send: Json = None
    close: int | None = Field(default=None, ge=1000, le=4999)
    delay_ms: float = Field(default=0, ge=0, le=600_000, allow_inf_nan=False)

    @model_validator(mode="after")
    def _is_one_thing(self) -> "SocketStep":
        if sum(each is not None for each in (self.receive, self.send, self.close)) != 1:
            raise ValueError("a step has one of receive, send and close")
        return self


def socket_problems(steps: Sequence[SocketStep], *, template: bool) -> Iterator[StubProblem]:
    """What the steps of a WebSocket say that cannot be served.

    Args:
        steps: The steps.
        template: Whether the texts of what is sent are templates.

    Yields:
        A problem for each matcher and template.
    """
    for number, step in enumerate(steps):
        if isinstance(step.receive, dict):
            for name, wanted in step.receive.items():
                if text := matcher_problem(wanted):
                    yield StubProblem(f"/socket/{number}/receive/{name}", text)
        for pointer, reason in template_problems(step.send) if template else ():
            yield StubProblem(f"/socket/{number}/send{pointer}", f"not a template: {reason}")


def stub_problems(stub: StubRules) -> Iterator[StubProblem]:
    """What a stub says that cannot be served.

    Yields:
        A problem for each expression, template, matcher and answer of the sequence.
    """
    for part in ("query", "headers", "body"):
        for name, wanted in getattr(stub.match, part).items():
            text = matcher_problem(wanted)
            if text:
                yield StubProblem(f"/match/{part}/{name}", text)
    if stub.when:
        try:
            condition(stub.when)
        except TemplateError as error:
            yield StubProblem("/when", f"not an expression: {error}")
    answers: list[tuple[str, Mapping[str, Any]]] = [("", stub.model_dump())]
    for number, each in enumerate(stub.sequence):
        place = f"/sequence/{number}"
        try:
            StubAnswer.model_validate(each)
        except ValidationError as error:
            yield from _invalid(place, error)
        else:
            answers.append((place, each))
    for place, answer in answers if stub.template else ():
        for part in ("headers", "body"):
            for pointer, reason in template_problems(answer.get(part), f"/{part}"):
                yield StubProblem(f"{place}{pointer}", f"not a template: {reason}")


def _invalid(where: str, error: ValidationError) -> Iterator[StubProblem]:
    for number, item in enumerate(error.errors(include_input=False, include_url=False)):
        pointer = "/".join([where, *map(str, item["loc"])])
        if item["type"] == "extra_forbidden" and number < FEW:
            near = did_you_mean(str(item["loc"][-1]), StubAnswer.model_fields)
            yield StubProblem(pointer, "unknown field", near)
        else:
            yield StubProblem(pointer, plain_reason(item["msg"]))


def stub_rank(match: Mapping[str, JsonObject], when: str) -> tuple[int, bool]:
    """Smaller for a stub that asks for more of a request: fields, then a condition.

    >>> stub_rank({"query": {"full": "1"}}, "") < stub_rank({}, "state.up") < stub_rank({}, "")
    True
    """
    return -sum(len(part) for part in match.values()), not when


# --- values and matchers ---


_ABSENT: Any = object()
MATCHERS = frozenset({"any", "regex", "in", "present"})
"""The one key of an object that is a matcher and not a value."""


def argument_differences(when: Mapping[str, Any], arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Where a call's arguments differ from what a response wants; empty when they match.

    Arguments that the response does not mention do not matter. A wanted value is a literal (for
    objects: its own keys only), or a matcher: `{"any": true}`, `{"regex": "..."}` (RE2, the whole
    text), `{"in": [...]}`, `{"present": false}`.

    >>> argument_differences({"unit": {"regex": "/Eng.*"}, "n": 1}, {"unit": "/Eng/Web", "n": 2})
    ('n: wanted 1, got 2',)
    """
    return _object_differences(when, arguments, "")


def _object_differences(
    wanted: Mapping[str, Any], given: Mapping[str, Any], path: str
) -> tuple[str, ...]:
    return tuple(
        text
        for name, value in wanted.items()
        for text in _value_differences(value, given.get(name, _ABSENT), f"{path}{name}")
    )


def _value_differences(wanted: Any, given: Any, path: str) -> tuple[str, ...]:
    if isinstance(wanted, Mapping):
        if len(wanted) == 1 and next(iter(wanted)) in MATCHERS:
            [(kind, operand)] = wanted.items()
            return () if _matches(kind, operand, given) else (_difference(wanted, given, path),)
        if isinstance(given, Mapping):
            return _object_differences(wanted, given, f"{path}.")
    same = given is not _ABSENT and type(given) is type(wanted) and given == wanted
    return () if same or _same_number(wanted, given) else (_difference(wanted, given, path),)


def _matches(kind: str, operand: Any, given: Any) -> bool:
    match kind:
        case "any" | "present":
            return (given is not _ABSENT) is bool(operand)
        case "in":
            return given in operand
        case _:
            return isinstance(given, str) and compile_pattern(operand).fullmatch(given) is not None


@lru_cache(maxsize=256)
def compile_pattern(text: str) -> Any:
    """A regular expression on RE2, which takes linear time whatever it is.

    Raises:
        ValueError: It is not an RE2 expression.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except (re2.error, TypeError) as error:
        raise ValueError(f"not an RE2 expression: {text!r}") from error


def _same_number(wanted: Any, given: Any) -> bool:
    numbers = (int, float)
    if isinstance(wanted, bool) or isinstance(given, bool):
        return False
    return isinstance(wanted, numbers) and isinstance(given, numbers) and wanted == given


def _difference(wanted: Any, given: Any, path: str) -> str:
    got = "nothing" if given is _ABSENT else repr(given)
    return f"{path}: wanted {wanted!r}, got {got}"


def matcher_problem(wanted: Any) -> str:
    """What is wrong with a wanted value that is a matcher; empty for any other value."""
    if not isinstance(wanted, dict) or len(wanted) != 1:
        return ""
    [(kind, operand)] = wanted.items()
    if kind not in MATCHERS:
        return ""
    if kind == "in":
        return "" if isinstance(operand, list) else "expected an array of values"
    if kind != "regex":
        return "" if isinstance(operand, bool) else "expected true or false"
    try:
        compile_pattern(operand)
    except ValueError as error:
        return str(error)
    return ""
