"""The table of bound tools."""

import pytest

from mockserver.apis.tools import call_tool
from mockserver.apis.tools.arguments import schema_problem
from mockserver.apis.tools.methods import HANDLERS
from mockserver.apis.tools.table import TOOLS, Tool


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_a_tool_s_schema_is_sound_and_complete(tool: Tool) -> None:
    assert schema_problem(tool.schema) == ""
    assert set(tool.required) <= set(tool.properties)
    assert tool.schema["additionalProperties"] is False
    assert tool.description.endswith(".")


def test_every_tool_is_a_method_of_the_tool_api() -> None:
    assert set(HANDLERS) == {f"tools.{name}" for name in TOOLS}
    assert set(HANDLERS.values()) == {call_tool}
