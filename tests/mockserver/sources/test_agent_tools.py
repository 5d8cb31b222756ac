"""Who answers the tools that run inside an agent, and what the journal says of those that ran."""

from pathlib import Path
from typing import Any

import pytest

from mockserver.model import Json, ToolPerturbations
from tests.mockserver.sources.test_cassette import journal, replaying
from tests.mockserver.sources.test_recorded_tools import REFUND

FROM_AGENT = {"X-Mock-Tool": "1"}
OWN: dict[str, Any] = {
    "tools": {"look_up": {"responses": [{"result": "own"}]}},
    "http": [{"method": "POST", "url": "/tools/stubbed", "body": {"result": 1}}],
}


def suite_of(folder: Path) -> Path:
    import json

    suite = folder / "suite"
    (suite / "base").mkdir(parents=True)
    (suite / "base" / "world.json").write_text(json.dumps(OWN))
    return suite


@pytest.mark.parametrize(
    ("tool", "rules", "status", "told"),
    [
        ("look_up", {"look_up": "mocked"}, 200, {"result": "own"}),
        ("look_up", {}, 200, {"result": "own"}),
        ("stubbed", {}, 200, {"result": 1}),
        ("refund", {}, 200, {"result": {"state": "refunded"}}),
        ("look_up", {"look_*": "real"}, 200, {"real": 1, "named": True}),
        ("refund", {"refund": "real"}, 200, {"real": 1, "named": True}),
        ("other", {"look_*": "refused"}, 200, {"real": 1, "named": False}),
        ("look_up", {"look_up": "mocked", "*": "refused"}, 200, {"result": "own"}),
        ("other", {"look_up": "mocked", "*": "refused"}, 403, "The case refuses the tool 'other'"),
        ("other", {"*": "mocked"}, 404, "The case says that the tool 'other' is mocked, and no"),
    ],
)
async def test_the_first_rule_that_fits_says_who_answers(
    tool: str, rules: dict[str, Any], status: int, told: Json, tmp_path: Path
) -> None:
    spec = {"agent_tools": rules, "fixtures": suite_of(tmp_path)}
    async with replaying(tmp_path, REFUND, **spec) as (client, _):
        sent = {"order": "A-1", "cents": 500}
        answer = await client.post(f"/tools/{tool}", json=sent, headers=FROM_AGENT)
        assert answer.status_code == status
        found = answer.json()
        assert found == told if status == 200 else str(told) in found["error"]["message"]


async def test_other_clients_of_the_tool_api_know_no_rules(tmp_path: Path) -> None:
    spec: Any = {"agent_tools": {"*": "refused"}, "fixtures": suite_of(tmp_path)}
    async with replaying(tmp_path, REFUND, **spec) as (client, _):
        answer = await client.post("/tools/look_up", json={})
        assert answer.json() == {"result": "own"}
        assert (await client.put("/tools/look_up", json={})).status_code == 404


@pytest.mark.slow
@pytest.mark.parametrize(
    ("told", "status", "answer"),
    [
        ({"result": {"id": 1}}, 200, {"result": {"id": 1}}),
        ({"result": "a" * 9}, 200, {"result": "aaaa... [truncated]"}),
        ({"error": {"type": "KeyError", "message": "no"}}, 500, "KeyError: no"),
        ({"arguments": []}, 400, "expected arguments"),
    ],
)
async def test_what_came_of_a_tool_that_ran_is_in_the_journal_as_its_call(
    told: dict[str, Any], status: int, answer: Json, tmp_path: Path
) -> None:
    spec: Any = {"agent_tools": {}, "tools": ToolPerturbations(result_limit=4 if status == 200 and
                 isinstance(told["result"], str) else None)}  # fmt: skip
    async with replaying(tmp_path, REFUND, **spec) as (client, app):
        await client.post("/tools/pay", json={"cents": 1}, headers=FROM_AGENT)
        sent = {"arguments": {"cents": 1}, "escapes": ["writes /etc/x"], **told}
        found = await client.put("/tools/pay", json=sent, headers=FROM_AGENT)
        assert found.status_code == status
        assert found.json() == answer if status == 200 else str(answer) in found.text
        asked, ran = journal(app)
        assert (asked["method_id"], asked["source"]) == ("agent.run", "agent")
        if status != 400:
            shown = ran["method_id"], ran["http_method"], ran["body"], ran["status"]
            assert shown == ("tools.pay", "POST", {"cents": 1}, status)
            assert ran["escapes"] == ("writes /etc/x",)


async def test_a_fault_comes_before_the_tool(tmp_path: Path) -> None:
    fault = {"method": "tools.pay", "status": 503, "times": 1}
    async with replaying(tmp_path, REFUND, agent_tools={}, faults=(fault,)) as (client, _):
        codes = [
            (await client.post("/tools/pay", json={}, headers=FROM_AGENT)).status_code
            for _ in range(2)
        ]
        assert codes == [503, 200]
        assert (await client.put("/tools/pay", json={}, headers=FROM_AGENT)).status_code == 200


async def test_with_recordings_alone_a_tool_that_they_do_not_know_is_a_miss(tmp_path: Path) -> None:
    async with replaying(tmp_path, REFUND, sources=("cassette",)) as (client, app):
        answer = await client.post("/tools/other", json={}, headers=FROM_AGENT)
        assert answer.status_code == 424
        assert journal(app)[0]["miss"]["blame"] == "replay_miss"
