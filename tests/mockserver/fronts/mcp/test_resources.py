"""Resources, prompts and completions over MCP."""

from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from tests.mockserver.fronts.mcp.conftest import MODES, Serve

MCP: dict[str, Any] = {
    "name": "travel",
    "version": "2.1",
    "instructions": "Book with care.",
    "pageSize": 2,
    "resources": {
        "doc://rules": {"title": "Rules", "text": "Be kind at {{ now() }}", "links": ["doc://map"]},
        "doc://map": {"mimeType": "image/png", "blob": "AAAA"},
        "doc://limits": {"json": {"seats": 9}},
    },
    "resourceTemplates": {
        "doc://cities/{city}": {"text": "{{ city }}!", "complete": {"city": ["Bonn", "Rome"]}}
    },
    "prompts": {
        "plan": {
            "description": "Plans a trip.",
            "arguments": [
                {"name": "city", "required": True, "complete": ["Bonn", "Brno", "Rome"]},
                {"name": "days"},
            ],
            "messages": [
                {"text": "Plan {{ city }} {{ days }}"},
                {"role": "assistant", "content": {"type": "text", "text": "{{ city }}?"}},
            ],
        }
    },
}


@pytest.mark.parametrize("mode", MODES)
async def test_resources_are_listed_by_pages_and_read(serve: Serve, mode: str) -> None:
    served = await serve(mcp={**MCP, "tools": {"debugAuth": {"title": "Who am I"}}})
    async with served.client(mode=mode) as client:
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        templates = (await client.list_resource_templates()).resource_templates
        read = [
            (await client.read_resource(uri)).model_dump(exclude_none=True)["contents"]
            for uri in ("doc://rules", "doc://limits", "doc://cities/Bonn")
        ]
        for cursor in ("0", str(len(MCP["resources"])), "x"):
            with pytest.raises(MCPError, match="The cursor is none"):
                await client.list_resources(cursor=cursor)
    listed = [resource.uri for page in (first, second) for resource in page.resources]
    assert listed == list(MCP["resources"])
    assert second.next_cursor is None
    assert [template.uri_template for template in templates] == ["doc://cities/{city}"]
    assert [len(contents) for contents in read] == [2, 1, 1]
    assert read[0][0]["text"] == "Be kind at 2026-03-02T09:00:00.000Z"
    assert read[1][0]["mime_type"] == "application/json"
    assert read[2][0]["text"] == "Bonn!"
    assert ("mcp.resources.read", {"uri": "doc://limits"}, 200) in served.calls()


@pytest.mark.parametrize(("mode", "code"), [("legacy", -32002), ("auto", -32602)])
async def test_an_unknown_resource_names_the_nearest(serve: Serve, mode: str, code: int) -> None:
    served = await serve(mcp=MCP)
    async with served.client(mode=mode) as client:
        with pytest.raises(MCPError, match="Did you mean 'doc://rules'") as raised:
            await client.read_resource("doc://rule")
    assert (raised.value.error.code, raised.value.error.data) == (code, {"uri": "doc://rule"})


@pytest.mark.parametrize("mode", MODES)
async def test_a_prompt_takes_its_arguments(serve: Serve, mode: str) -> None:
    served = await serve(mcp=MCP)
    async with served.client(mode=mode) as client:
        (prompt,) = (await client.list_prompts()).prompts
        got = await client.get_prompt("plan", {"city": "Bonn"})
        for name, arguments, told in (
            ("plan", {}, "needs the argument 'city'"),
            ("plan", {"city": "Bonn", "day": "1"}, "Did you mean 'days'"),
            ("plans", {}, "Did you mean 'plan'"),
        ):
            with pytest.raises(MCPError, match=told):
                await client.get_prompt(name, arguments)
    assert [(each.name, each.required) for each in prompt.arguments or ()] == [
        ("city", True),
        ("days", False),
    ]
    texts = [(each.role, each.content.model_dump()["text"]) for each in got.messages]
    assert texts == [("user", "Plan Bonn "), ("assistant", "Bonn?")]


async def test_completion_suggests_what_begins_alike(serve: Serve) -> None:
    served = await serve(mcp=MCP)
    plan = PromptReference(name="plan")
    city = ResourceTemplateReference(uri="doc://cities/{city}")
    async with served.client() as client:
        found = [
            (await client.complete(ref, {"name": name, "value": begun})).completion.values
            for ref, name, begun in (
                (plan, "city", "b"),
                (plan, "days", ""),
                (city, "city", "R"),
                (city, "other", ""),
            )
        ]
        with pytest.raises(MCPError, match="no resource template"):
            await client.complete(
                ResourceTemplateReference(uri="x://{y}"), {"name": "y", "value": ""}
            )
    assert found == [["Bonn", "Brno"], [], ["Rome"], []]


async def test_a_server_says_what_its_snapshot_has(serve: Serve) -> None:
    served = await serve(mcp=MCP)
    async with served.client() as client:
        info = client.session.initialize_result
    assert info is not None
    assert (info.server_info.name, info.server_info.version) == ("travel", "2.1")
    assert info.instructions == "Book with care."
    assert info.capabilities.prompts is not None
    assert info.capabilities.tools is not None
    assert info.capabilities.tools.list_changed


async def test_a_server_without_resources_does_not_speak_of_them(serve: Serve) -> None:
    served = await serve()
    async with served.client() as client:
        info = client.session.initialize_result
        with pytest.raises(MCPError, match="Method not found"):
            await client.list_resources()
    assert info is not None
    assert info.capabilities.resources is None
    assert info.capabilities.prompts is None
