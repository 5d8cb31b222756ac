"""The table of bound tools."""

from collections.abc import Callable
from typing import Any

import pytest

from mockserver.apis.tools import call_tool
from mockserver.apis.tools.arguments import schema_problem
from mockserver.apis.tools.methods import HANDLERS
from mockserver.apis.tools.table import TOOLS, Tool
from mockserver.googleapi import ApiError
from mockserver.snapshots.lint import broken_texts


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_a_tool_s_schema_is_sound_and_complete(tool: Tool) -> None:
    assert schema_problem(tool.schema) == ""
    assert set(tool.required) <= set(tool.properties)
    assert tool.schema["additionalProperties"] is False
    assert tool.description.endswith(".")


def test_every_tool_is_a_method_of_the_tool_api() -> None:
    assert set(HANDLERS) == {f"tools.{name}" for name in TOOLS}
    assert set(HANDLERS.values()) == {call_tool}


@pytest.mark.parametrize("name", [name for name, tool in TOOLS.items() if not tool.required])
def test_no_tool_says_what_a_program_writes_by_mistake(name: str, tool: Callable[..., Any]) -> None:
    """CEPR-30: no `[object Object]`, `undefined` or `NaN` in the output of a tool."""
    try:
        output = tool(name)
    except ApiError as error:
        output = error.message
    assert list(broken_texts({"output": output})) == []
