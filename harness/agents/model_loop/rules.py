"""How a loop goes: when it stops, and which model and tools a step has. Pure; read from a file."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from harness.documents import Findings, read_yaml
from harness.errors import InvalidCasesError
from harness.model import JsonObject

ToolChoice = Literal["auto", "required", "none"]

MAX_STEPS = 20
"""Where a loop ends that says nothing."""


class _Rule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Step(_Rule):
    """What came of one request to the model.

    Attributes:
        text: What the model said.
        tools: The tools that it called, in order.
        tokens: Input and output tokens.
        cost_usd: US dollars, or None where the price is not known.
    """

    text: str = ""
    tools: tuple[str, ...] = ()
    tokens: int = 0
    cost_usd: float | None = None


class Condition(_Rule):
    """What must have come about so far; everything that is named must hold.

    Attributes:
        steps: So many steps were taken.
        text: All of these texts occur in what the model said in one step.
        tool: A tool of this name (a glob) was called.
        tokens: So many tokens were used.
        cost_usd: So many US dollars were spent; a model without a price never reaches it.
        all: All of these hold.
        any: One of these holds.
    """

    steps: int | None = Field(default=None, ge=1)
    text: tuple[str, ...] = ()
    tool: str | None = None
    tokens: int | None = Field(default=None, ge=1)
    cost_usd: float | None = Field(default=None, gt=0)
    all: tuple["Condition", ...] = ()
    any: tuple["Condition", ...] = ()

    @field_validator("text", mode="before")
    @classmethod
    def _as_texts(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _asks_something(self) -> "Condition":
        if not self.model_fields_set:
            raise ValueError("a condition names steps, text, tool, tokens, cost_usd, all or any")
        return self

    def holds(self, steps: Sequence[Step]) -> bool:
        """Whether it has come about.

        >>> Condition(text=("Cause:", "Next:")).holds([Step(text="Cause: a. Next: b.")])
        True
        """
        spent = [step.cost_usd for step in steps]
        told = (
            self.steps is None or len(steps) >= self.steps,
            not self.text or any(all(t in step.text for t in self.text) for step in steps),
            self.tool is None
            or any(fnmatchcase(name, self.tool) for step in steps for name in step.tools),
            self.tokens is None or sum(step.tokens for step in steps) >= self.tokens,
            self.cost_usd is None
            or (None not in spent and sum(filter(None, spent)) >= self.cost_usd),
            all(each.holds(steps) for each in self.all),
            not self.any or any(each.holds(steps) for each in self.any),
        )
        return all(told)

    def describe(self) -> str:
        """It in a few words, for the record of a trial."""
        parts = [
            f"{name} {value}"
            for name in ("steps", "tool", "tokens", "cost_usd")
            if (value := getattr(self, name)) is not None
        ]
        parts += [f"text {text!r}" for text in self.text]
        parts += [each.describe() for each in self.all]
        if self.any:
            parts.append(f"({' or '.join(each.describe() for each in self.any)})")
        return " and ".join(parts)


class Phase(_Rule):
    """What a step has from some moment on; the last phase that has begun decides.

    Attributes:
        first_step: Its first step, from 0 (`from`).
        when: What must have come about, too.
        model: Another model, `PROVIDER/NAME`.
        tools: Globs of the tools that are offered; all of them when None.
        tool_choice: `auto`, `required` (a tool must be called) or `none`.
        instructions: What is said beside the loop's own instructions.
    """

    first_step: int = Field(default=0, ge=0, alias="from")
    when: Condition | None = None
    model: str = Field(default="", pattern=r"^$|^[\w.-]+/.+$")
    tools: tuple[str, ...] | None = None
    tool_choice: ToolChoice = "auto"
    instructions: str = ""


class CompletionTool(_Rule):
    """A tool that the model calls when it is done: nothing runs, its arguments are the answer.

    Attributes:
        description: What the model is told.
        parameters: JSON Schema of its arguments.
    """

    description: str = "Call this when you are done, with your answer."
    parameters: JsonObject = {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    }


class Loop(_Rule):
    """A loop of a model and tools.

    Attributes:
        instructions: The system prompt.
        max_steps: Where it ends at the latest.
        stop: It ends when one of these has come about.
        phases: What steps have, in order.
        completion: Tools that end it, by name.
        tools: Globs of the tools that it has at all.
        temperature: Or None for the provider's default.
        max_tokens: Of one reply of the model, or None.
        seed: For providers that take one, or None.
    """

    instructions: str = ""
    max_steps: int = Field(default=MAX_STEPS, ge=1, le=1000)
    stop: tuple[Condition, ...] = ()
    phases: tuple[Phase, ...] = ()
    completion: dict[str, CompletionTool] = {}
    tools: tuple[str, ...] = ("*",)
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    seed: int | None = None

    def phase(self, steps: Sequence[Step]) -> Phase:
        """What the next step has.

        >>> loop = Loop(
        ...     phases=(Phase(tools=("get*",)), Phase(first_step=2, tool_choice="required"))
        ... )
        >>> loop.phase([]).tools, loop.phase([Step(), Step()]).tool_choice
        (('get*',), 'required')
        """
        begun = (
            phase
            for phase in reversed(self.phases)
            if len(steps) >= phase.first_step and (phase.when is None or phase.when.holds(steps))
        )
        return next(begun, Phase())

    def stop_reason(self, steps: Sequence[Step]) -> str:
        """Why it ends after these steps, or an empty string.

        >>> Loop(stop=(Condition(tokens=10),)).stop_reason([Step(tokens=12)])
        'stopped: tokens 10'
        """
        for condition in self.stop:
            if condition.holds(steps):
                return f"stopped: {condition.describe()}"
        return "stopped: max_steps" if len(steps) >= self.max_steps else ""

    def offered(self, names: Iterable[str], phase: Phase) -> list[str]:
        """The tools that a step of a phase has, of those that there are and its own."""
        wanted = ("*",) if phase.tools is None else phase.tools
        served = [name for name in names if _matches(name, self.tools)]
        known = dict.fromkeys([*served, *self.completion])
        return [name for name in known if _matches(name, wanted)]


def _matches(name: str, globs: Iterable[str]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


def read_loop(path: Path) -> Loop:
    """The loop that a YAML file describes.

    Raises:
        InvalidCasesError: Everything that is wrong in it, each with its place.
    """
    findings = Findings()
    document = read_yaml(path, findings)
    if document is not None:
        try:
            return Loop.model_validate(document.value)
        except ValidationError as error:
            for each in error.errors(include_url=False, include_input=False):
                place = tuple(each["loc"])
                message = each["msg"].removeprefix("Value error, ")
                if each["type"] == "extra_forbidden":
                    message = f"unknown key {place[-1]!r}"
                findings.error(document.where(place), message)
    raise InvalidCasesError(findings.problems)
