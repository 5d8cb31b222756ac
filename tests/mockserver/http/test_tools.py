"""The tool API over HTTP: bound tools, forms for models, perturbations."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from mockserver.http.application import Application
from mockserver.model import ToolPerturbations
from tests.mockserver.conftest import write_suite
from tests.mockserver.sources.test_emulation import application, client_of, entries

SCHEMA = {"type": "object", "properties": {"id": {"type": "string", "description": "An id."}},
          "required": ["id"]}  # fmt: skip
TOOLS: dict[str, Any] = {
    "get_unit": {
        "description": "Get an org unit.",
        "inputSchema": SCHEMA,
        "call": {"method": "directory.orgunits.get",
                 "params": {"customerId": "my_customer", "orgUnitPath": "{{ arguments.id }}"}},
        "result": "{{ answer.name }}",
        "outputSchema": {"type": "string"},
    },
    "add_unit": {
        "call": {"method": "directory.orgunits.insert", "params": {"customerId": "my_customer"},
                 "body": {"name": "{{ arguments.name }}", "parentOrgUnitPath": "/"}},
        "outputSchema": {"required": ["nothing like it"]},
    },
    "list_units": {"call": "directory.orgunits.list"},
    "broken": {"call": {"method": "directory.orgunits.get", "params": "{{ arguments.id }}"}},
    "unclear": {"call": {"method": "directory.orgunits.get", "params": {"x": "{{ nothing }}"}}},
    "unmade": {"call": "directory.orgunits.list", "result": "{{ answer.nothing }}"},
    "say": {"responses": [{"result": "abcdef"}]},
}  # fmt: skip


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite", tools=TOOLS)


async def called(app: Application, tool: str, /, **arguments: Any) -> httpx.Response:
    async with client_of(app) as client:
        return await client.post(f"/tools/{tool}", json=arguments)


async def listed(app: Application, query: str = "") -> Any:
    async with client_of(app) as client:
        return (await client.get(f"/tools{query}")).json()


async def test_a_tool_is_bound_to_a_method(suite: Path) -> None:
    app = application(suite)
    unit = (await listed(app))["tools"]
    assert {"get_unit", "say"} <= {tool["name"] for tool in unit}
    answer = await called(app, "get_unit", id="/")
    assert answer.status_code == 200, answer.text
    assert isinstance(answer.json()["result"], str)
    assert [entry["method_id"] for entry in entries(app)][-2:] == [
        "tools.get_unit", "directory.orgunits.get",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "arguments", "status", "said"),
    [
        ("get_unit", {}, 400, "'id' is a required property"),
        ("get_unit", {"id": "/Nowhere"}, 404, "not found"),
        ("add_unit", {"name": "Attic"}, 500, "not as its outputSchema says"),
        ("list_units", {"customerId": "my_customer"}, 200, "organizationUnits"),
        ("broken", {"id": "/"}, 500, "params or a body that are no objects"),
        ("unclear", {}, 500, "its call fails: 'nothing' is undefined"),
        ("unmade", {"customerId": "my_customer"}, 500, "its result fails"),
    ],
)
async def test_what_a_bound_tool_answers(
    suite: Path, name: str, arguments: dict[str, Any], status: int, said: str
) -> None:
    answer = await called(application(suite), name, **arguments)
    assert (answer.status_code, said.lower() in answer.text.lower()) == (status, True), answer.text


@pytest.mark.parametrize(
    ("form", "where", "schema"),
    [
        ("openai", ("function", "name"), ("function", "parameters")),
        ("anthropic", ("name",), ("input_schema",)),
    ],
)
async def test_tools_are_declared_in_the_forms_of_models(
    suite: Path, form: str, where: tuple[str, ...], schema: tuple[str, ...]
) -> None:
    def value(tool: Any, path: tuple[str, ...]) -> Any:
        for name in path:
            tool = tool[name]
        return tool

    tools = (await listed(application(suite), f"?format={form}"))["tools"]
    found = {value(tool, where): value(tool, schema) for tool in tools}
    assert found["get_unit"] == SCHEMA


async def test_tools_are_declared_for_gemini_and_as_openapi(suite: Path) -> None:
    app = application(suite)
    (group,) = (await listed(app, "?format=gemini"))["tools"]
    declared = {each["name"]: each for each in group["functionDeclarations"]}
    assert declared["get_unit"]["parametersJsonSchema"] == SCHEMA
    document = await listed(app, "/openapi.json")
    operation = document["paths"]["/tools/get_unit"]["post"]
    assert (document["openapi"], operation["operationId"]) == ("3.1.0", "get_unit")
    assert (await listed(app, "?format=openapi")) == document
    assert "there are anthropic, gemini" in str(await listed(app, "?format=xml"))


def perturbed(suite: Path, **how: Any) -> Application:
    return application(suite, tools=ToolPerturbations(**how))


async def names(app: Application) -> list[str]:
    return [tool["name"] for tool in (await listed(app))["tools"]]


async def test_a_renamed_tool_answers_and_is_journalled_by_its_first_name(suite: Path) -> None:
    app = perturbed(suite, rename=True)
    plain, renamed = await names(application(suite)), await names(app)
    assert len(plain) == len(renamed)
    assert not {"get_unit", "list_units"} & set(renamed)
    assert renamed == await names(perturbed(suite, rename=True))
    new = dict(zip(plain, renamed, strict=True))["get_unit"]
    assert (await called(app, new, id="/")).status_code == 200
    assert entries(app)[-2]["method_id"] == "tools.get_unit"


async def test_tools_are_renamed_as_told(suite: Path) -> None:
    app = perturbed(suite, rename={"say": "speak", "unknown": "x", "broken": "unmade"})
    found = await names(app)
    assert ("speak" in found, "say" in found, "broken" in found) == (True, False, True)
    assert (await called(app, "say")).status_code == 404


async def test_tools_are_reordered_undescribed_and_among_others(suite: Path) -> None:
    plain = await names(application(suite))
    mixed = await names(perturbed(suite, reorder=True))
    assert (mixed != plain, sorted(mixed)) == (True, sorted(plain))
    bare = (await listed(perturbed(suite, undescribed=True)))["tools"]
    assert "description': 'An id" not in str(bare)
    assert all(tool["description"] == "" for tool in bare)
    app = perturbed(suite, distractors=3)
    others = [name for name in await names(app) if name not in plain]
    assert len(others) == 3
    assert (await called(app, others[0], input="x")).status_code == 403


async def test_results_are_cut_and_errors_told_in_prose(suite: Path) -> None:
    app = perturbed(suite, result_limit=3, prose_errors=True)
    assert (await called(app, "say")).json() == {"result": "abc... [truncated]"}
    app = perturbed(suite, prose_errors=True)
    answer = await called(app, "get_unit", id="/Nowhere")
    assert answer.status_code == 200
    assert answer.json()["result"].startswith("Sorry, that did not work:")


async def test_a_suite_without_googles_data_lists_its_own_tools_alone(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    (suite / "base").mkdir(parents=True)
    (suite / "base" / "tools.json").write_text('{"tools": {"say": {"responses": [{"result": 1}]}}}')
    app = application(suite)
    assert await names(app) == ["say"]
    assert (await called(app, "listOrgUnits")).status_code == 404
