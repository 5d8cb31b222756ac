"""Tools that are changed for a session: names, order, descriptions, limits, and others beside."""

import pytest

from mockserver.apis.tools.perturbations import original_name, perturbed_tools
from mockserver.model import JsonObject, ToolPerturbations
from mockserver.state import Base
from tests.tenants import NOW

SCHEMA: JsonObject = {
    "type": "object",
    "title": "A flight",
    "properties": {"to": {"type": "string", "description": "Where to", "title": "To"}, "any": True},
}
TOOLS: JsonObject = {
    "search_flights": {"description": "Finds flights", "inputSchema": SCHEMA},
    "bookFlight": {"description": "Books", "responses": [{"result": 1}]},
    "ask": {},
}


def base(tools: JsonObject) -> Base:
    return Base({}, {}, NOW, tools=tools)


def changed(seed: int = 1, **changes: object) -> JsonObject:
    spec = ToolPerturbations.model_validate(changes)
    return dict(perturbed_tools(base(TOOLS), spec, seed))


def test_tools_that_are_not_changed_tell_what_they_were() -> None:
    assert changed() == {name: {**tool, "of": name} for name, tool in TOOLS.items()}


@pytest.mark.parametrize(
    ("rename", "names"),
    [
        (True, ["queryFlights", "order_flight", "ask"]),
        ({"ask": "say", "none": "x"}, ["search_flights", "bookFlight", "say"]),
        ({"ask": "bookFlight"}, ["search_flights", "bookFlight", "ask"]),
        ({"search_flights": "f", "bookFlight": "f"}, ["f", "bookFlight", "ask"]),
    ],
)
def test_tools_have_other_names_that_are_free(rename: object, names: list[str]) -> None:
    found = changed(rename=rename)
    assert list(found) == names
    assert [each["of"] for each in found.values()] == list(TOOLS)
    assert [original_name(base(found), name) for name in names] == list(TOOLS)
    assert original_name(base(TOOLS), "ask") == original_name(base({}), "ask") == "ask"


def test_descriptions_are_left_out_everywhere() -> None:
    found = changed(undescribed=True)
    assert [each["description"] for each in found.values()] == ["", "", ""]
    assert [each["inputSchema"] for each in found.values()] == [
        {"type": "object", "properties": {"to": {"type": "string"}, "any": True}}, {}, {},
    ]  # fmt: skip


def test_tools_that_nobody_needs_refuse_to_work() -> None:
    found = changed(distractors=2)
    assert list(found) == [*TOOLS, "archive_report", "convert_currency"]
    assert found["archive_report"] == {
        "description": "Move a finished report to the archive.",
        "inputSchema": {"type": "object", "properties": {"input": {"type": "string"}}},
        "responses": [{"error": {"status": 403, "message": "This tool is not available here."}}],
    }


def test_limits_and_prose_are_told_of_every_tool() -> None:
    found = changed(result_limit=0, prose_errors=True)
    assert found == {
        name: {**tool, "of": name, "resultLimit": 0, "proseErrors": True}
        for name, tool in TOOLS.items()
    }


def test_another_order_is_that_of_the_seed() -> None:
    orders = {tuple(changed(seed, reorder=True)) for seed in range(20)}
    assert len(orders) > 3
    assert {frozenset(each) for each in orders} == {frozenset(TOOLS)}
    assert list(changed(3, reorder=True)) == list(changed(3, reorder=True))
