"""An expected tool call, and why a call that was made is not the expected one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from harness.checks.expectation import Needle
from harness.checks.matchers import (
    Difference,
    InvalidMatcherError,
    InvalidSchemaError,
    arguments_difference,
    difference,
    schema_errors,
)
from harness.trials.records import ToolCall
from harness.trials.values import Frozen, Json, JsonObject

ArgsMode = Literal["ignore", "exact", "subset", "superset", "schema"]


class Count(Frozen):
    """How often a call is expected.

    Attributes:
        min: At least this many times.
        max: At most this many times; None for any number (up to 1,000 are paired).
    """

    min: int = Field(default=1, ge=0)
    max: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _in_bounds(self) -> "Count":
        if self.max is not None and self.max < self.min:
            raise ValueError("'max' is below 'min'")
        return self


def _often(value: Json) -> Json:
    """A number stands for exactly so often."""
    plain = isinstance(value, int) and not isinstance(value, bool)
    return {"min": value, "max": value} if plain else value


class ExpectedCall(Frozen):
    """One tool call that is expected.

    Attributes:
        name: The tool's name.
        args: Expected arguments, values or matchers (see `harness.checks.matchers`) at any depth;
            None ignores them.
        args_mode: `subset` (the call has these and may have others), `exact`, `superset` (the call
            has no others and may lack some), `schema` (`args` is a JSON Schema) or `ignore`.
        optional: May be missing.
        group: Neighbours of the same non-empty group may come in any order among themselves
            (parallel calls), also where the mode keeps the order.
        count: How often, when not once: a number, or `min` and `max`; more than `max` fails.
        status: Whether the call succeeded; None for either.
        result: What the tool answered, as a subset, with matchers; None for anything.
        turn: In which turn, from 1; None for any.
    """

    name: Needle
    args: JsonObject | None = None
    args_mode: ArgsMode = "subset"
    optional: bool = False
    group: str = ""
    count: Annotated[
        Count | None, BeforeValidator(_often, json_schema_input_type=int | Count | None)
    ] = None
    status: Literal["ok", "error"] | None = None
    result: Json = None
    turn: int | None = Field(default=None, ge=1)


BEST = 8
"""One more than the greatest exactness."""

_NO_DEFAULTS: Mapping[str, JsonObject] = {}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a call is not the expected one, or an expected call found no partner.

    Attributes:
        code: `name`, `args.folderId` (where the arguments differ), `malformed arguments`, `turn`,
            `failed call`, `went well`, `status`, `result.rows`, `order`, `count` (each call that
            suits is already the partner of another).
        sentence: The same for reading.
        unknown: Whether only a fact is missing that nobody reports.
    """

    code: str
    sentence: str
    unknown: bool = False


def mismatch(
    expected: ExpectedCall, call: ToolCall, defaults: Mapping[str, JsonObject] = _NO_DEFAULTS
) -> Reason | None:
    """What is wrong with a call, or None when it is the expected one.

    Args:
        expected: What is expected.
        call: What was called.
        defaults: Tool to arguments that it fills in itself.

    Raises:
        InvalidMatcherError: A matcher or schema of the case cannot be used.
    """
    name = expected.name
    if call.name != name:
        return Reason("name", f"{name!r} was not called")
    if expected.turn is not None and call.turn != expected.turn:
        return Reason("turn", f"{name!r} was called in turn {call.turn}, not {expected.turn}")
    filled = defaults.get(name, {})
    if reason := _of_arguments(expected, call, filled):
        return reason
    return _of_answer(expected, call)


def exactness(
    expected: ExpectedCall, call: ToolCall, defaults: Mapping[str, JsonObject] = _NO_DEFAULTS
) -> int:
    """How much of the arguments is exactly as expected, from 0 to 7."""
    if expected.args is None or not isinstance(call.args, dict):
        return 0
    made = {**defaults.get(expected.name, {}), **call.args}
    if bool(made == expected.args):
        return BEST - 1
    same = sum(key in made and bool(made[key] == value) for key, value in expected.args.items())
    return min(same, BEST - 2)


def args_difference(
    args: JsonObject | None, call: ToolCall, filled: JsonObject | None = None
) -> Difference | None:
    """Where the arguments of a call differ from those wanted at least."""
    return None if args is None else arguments_difference(args, _with_defaults(call, filled or {}))


def _of_arguments(expected: ExpectedCall, call: ToolCall, filled: JsonObject) -> Reason | None:
    name, args, mode = expected.name, expected.args, expected.args_mode
    if args is None or mode == "ignore":
        return None
    if not isinstance(call.args, dict):
        text = call.args if len(call.args) <= 40 else f"{call.args[:40]}…"
        sentence = f"{name!r} was called, but its arguments are no JSON object: {text!r}"
        return Reason("malformed arguments", sentence)
    made = _with_defaults(call, filled)
    if mode == "schema":
        return _of_schema(name, args, made)
    wanted = {**filled, **args} if mode == "exact" else args
    differs = arguments_difference(wanted, made, mode)
    return Reason(differs.where, f"{name!r} was called, but {differs}") if differs else None


def _of_schema(name: str, schema: JsonObject, args: JsonObject) -> Reason | None:
    try:
        errors = schema_errors(schema, args)
    except InvalidSchemaError as error:
        raise InvalidMatcherError(str(error)) from error
    if not errors:
        return None
    where = errors[0].partition(":")[0].replace("/", ".").rstrip(".")
    return Reason(f"args{where}", f"{name!r} was called, but its arguments are wrong: {errors[0]}")


def _of_answer(expected: ExpectedCall, call: ToolCall) -> Reason | None:
    if expected.status is not None and call.status != expected.status:
        return _of_status(call)
    if expected.result is None:
        return None
    name = expected.name
    if call.result is None:
        return Reason("result", f"nobody says what {name!r} answered", unknown=True)
    differs = difference(expected.result, call.result, "result")
    return Reason(differs.where, f"{name!r} was called, but {differs}") if differs else None


def _of_status(call: ToolCall) -> Reason:
    match call.status:
        case "ok":
            return Reason("went well", f"{call.name!r} was called and went well, not as expected")
        case "error":
            return Reason("failed call", f"{call.name!r} was called, but the call failed")
        case "unknown":
            return Reason("status", f"nobody says whether {call.name!r} went well", unknown=True)


def _with_defaults(call: ToolCall, filled: JsonObject) -> Json:
    return {**filled, **call.args} if isinstance(call.args, dict) else call.args
