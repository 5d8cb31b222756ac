"""Expectations on the tool calls of a trial."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from harness.model.needles import AnyExpectation, Needle
from harness.model.values import Frozen, Json, JsonObject

ArgsMode = Literal["ignore", "exact", "subset", "superset", "schema"]
TrajectoryMode = Literal["exact", "in_order", "any_order", "subset", "superset"]


class Count(Frozen):
    """How often a call is expected.

    Attributes:
        min: At least so often.
        max: At most so often; None for any number (up to 1,000 are paired).
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
        args: Expected arguments, values or matchers (see `harness.model.matchers`) at any depth;
            None ignores them.
        args_mode: `subset` (the call has these and may have others), `exact`, `superset` (the call
            has no others and may lack some), `schema` (`args` is a JSON Schema) or `ignore`.
        optional: May be missing.
        group: Neighbours of the same non-empty group may come in any order among themselves
            (parallel calls), also where the mode keeps the order.
        count: How often, when not once: a number, or `min` and `max`; more than `max` fails.
        status: Whether the call went well; None does not matter.
        result: What the tool answered, as a subset, with matchers; None does not matter.
        turn: In which turn, from 1; None does not matter.
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


class ToolCalls(AnyExpectation):
    """The trajectory holds these calls; each actual call is consumed once (optimal matching).

    Attributes:
        mode: `any_order`, `in_order` (others may stand between), `exact` (same calls, same order,
            none besides), `superset` (all of these and any others) or `subset` (none but these,
            each of which may be missing).
        calls: What is expected.
        extra_max: How many calls besides are allowed; None for any number (`exact` and `subset`
            allow none).
        require_success: Count only calls that did not fail.
        ignore: Globs of tools whose calls do not count at all.
        defaults: Tool to arguments that it fills in itself where a call leaves them out.
        seen_as: Tool to the method id (or glob) of the requests by which the server sees a call of
            it, for agents that report no calls and do not use the tool API.
    """

    kind: Literal["tool_calls"] = "tool_calls"
    mode: TrajectoryMode = "any_order"
    calls: tuple[ExpectedCall, ...] = ()
    extra_max: int | None = Field(default=None, ge=0)
    require_success: bool = False
    ignore: tuple[Needle, ...] = ()
    defaults: dict[str, JsonObject] = {}
    seen_as: dict[str, Needle] = {}


class ForbiddenCall(Frozen):
    """A call that must not be made.

    Attributes:
        name: Glob of tool names.
        args: Only with these arguments, as a subset, with matchers; None: with any.
    """

    name: Needle
    args: JsonObject | None = None


class ForbiddenTools(AnyExpectation):
    """No call of a tool whose name matches one of these globs, and none of these calls.

    Attributes:
        globs: Globs of tool names.
        calls: Calls with some arguments.
        seen_as: See `ToolCalls`.
    """

    kind: Literal["forbidden_tools"] = "forbidden_tools"
    globs: tuple[Needle, ...] = ()
    calls: tuple[ForbiddenCall, ...] = ()
    seen_as: dict[str, Needle] = {}

    @model_validator(mode="after")
    def _forbids_something(self) -> "ForbiddenTools":
        if not self.globs and not self.calls:
            raise ValueError("needs 'globs' or 'calls'")
        return self


class MinCalls(AnyExpectation):
    """Each of these tools was called at least so often.

    Attributes:
        counts: Tool to how often.
        seen_as: See `ToolCalls`.
    """

    kind: Literal["min_calls"] = "min_calls"
    counts: dict[str, int] = Field(min_length=1)
    seen_as: dict[str, Needle] = {}
