"""Cases as sre lists have them: prompt, expected and forbidden tools, expected strings."""

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from harness.cases.variables import literal_pattern
from harness.checks.grammar import Phrase, none_as_empty
from harness.model import (
    Case,
    Expectation,
    ExpectedCall,
    ForbiddenTools,
    Frozen,
    ReferenceCall,
    ReferenceTurn,
    TextMatches,
    ToolCalls,
    Turn,
)

ToolName = Annotated[str, Field(min_length=1, pattern=r"^\S+$")]
Tools = Annotated[tuple[ToolName, ...], BeforeValidator(none_as_empty)]
Strings = Annotated[tuple[Phrase, ...], BeforeValidator(none_as_empty)]


class ListedCase(Frozen):
    """A case as it is written in a list.

    Attributes:
        id: Unique in its suite.
        prompt: What the user says.
        expected_tools: Tools that must be called, in any order, others besides.
        forbidden_tools: Tools that must not be called.
        expected_strings: Each is a part of the reply; letter case does not matter.
        description: One line.
    """

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
    prompt: str = Field(min_length=1, pattern=r"\S")
    expected_tools: Tools = ()
    forbidden_tools: Tools = ()
    expected_strings: Strings = ()
    description: str = ""

    @model_validator(mode="after")
    def _can_hold(self) -> "ListedCase":
        if both := sorted(set(self.expected_tools) & set(self.forbidden_tools)):
            raise ValueError(f"both expected and forbidden: {', '.join(both)}")
        if len(set(self.expected_tools)) < len(self.expected_tools):
            raise ValueError("expected_tools names a tool twice")
        return self


def listed_case(written: ListedCase) -> Case:
    """A case of a list as the harness knows it, without its world."""
    return Case(
        id=written.id,
        title=written.description,
        turns=(Turn(user=written.prompt),),
        expect=tuple(_expectations(written)),
    )


def listed_reference(case: Case, found: tuple[ReferenceTurn, ...]) -> tuple[ReferenceTurn, ...]:
    """A reference that says nothing of tools calls those that are expected."""
    expected = tuple(
        ReferenceCall(name=call.name)
        for item in case.expect
        if isinstance(item, ToolCalls)
        for call in item.calls
    )
    return tuple(
        turn if turn.calls or turn.reports else turn.model_copy(update={"reports": expected})
        for turn in found
    )


def _expectations(written: ListedCase) -> Iterator[Expectation]:
    if written.expected_tools:
        yield ToolCalls(calls=tuple(ExpectedCall(name=name) for name in written.expected_tools))
    if written.forbidden_tools:
        yield ForbiddenTools(globs=tuple(map(_literal_glob, written.forbidden_tools)))
    if written.expected_strings:
        # a part of the reply is asked for, not words of it: "OOMKill" is in "OOMKilled"
        yield TextMatches(patterns=tuple(map(literal_pattern, written.expected_strings)))


def _literal_glob(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)
