from dataclasses import dataclass
from typing import Any

import pytest

from harness.cases.unknown_names import misspelt_names
from harness.checks.expect_block import Expect, expectations
from harness.environment import known_names
from harness.model import Fixtures, ReferenceCall, ReferenceTurn
from mockserver.model import Fault
from tests.harness.records import case


@dataclass(frozen=True)
class Known:
    methods: tuple[str, ...] = (
        *("directory.users.delete", "directory.users.list", "gmail.users.messages.send"),
    )
    collections: tuple[str, ...] = ("users", "orgUnits", "policies")
    tools: tuple[str, ...] = ("listOrgUnits", "applyPolicy")

    def fields(self, collection: str) -> list[str]:
        return ["primaryEmail", "orgUnitPath"] if collection == "users" else []

    def params(self, method: str) -> list[str]:
        return ["userKey", "maxResults"] if method == "directory.users.list" else []

    def arguments(self, tool: str) -> list[str]:
        return ["policySchema"] if tool == "applyPolicy" else []


LISTED = {"method": "directory.users.list", "params": {"userkey": 1}}
SCHEMA = {"policySchemas": True}

WORLD = {
    "orgUnits": [{"name": "Sales", "orgUnitId": "1"}],
    "tools": {
        "getTicket": {"inputSchema": {"properties": {"number": {}}}},
        "closeTicket": {},
        "broken": 3,
    },
}


def told(reference: tuple[ReferenceTurn, ...] = (), **expect: Any) -> list[str]:
    asked = case(*expectations(Expect.model_validate(expect)), reference=reference)
    found = misspelt_names([asked], Known(), {asked.id: WORLD})
    return [f"{remark.message} ({remark.hint})" for _, remark in found]


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        ({"tools": {"forbidden": ["aplyPolicy"]}}, "no tool is named 'aplyPolicy'"),
        (
            {"tools": {"forbidden": [{"name": "applyPolcy", "args": {"a": 1}}]}},
            "did you mean 'applyPolicy'?",
        ),
        (
            {"tools": {"calls": ["delete_user"], "forbidden": ["delete_usr"]}},
            "did you mean 'delete_user'?",
        ),
        ({"server": {"state": {"unchanged": ["orgUnit"]}}}, "did you mean 'orgUnits'?"),
        (
            {"server": {"state": {"expect": [{"collection": "user"}]}}},
            "no collection is named 'user'",
        ),
        ({"server": {"state": {"allow": [{"collection": "polices"}]}}}, "'policies'"),
        (
            {"server": {"requests": [{"method": "directory.users.delte", "min": 0, "max": 0}]}},
            "did you mean 'directory.users.delete'?",
        ),
        ({"minefields": [{"request": "directory.user.*"}]}, "no method is named"),
        ({"minefields": [{"request": "directroy.users.delete"}]}, "'directory.users.delete'"),
        ({"minefields": [{"call": "aplyPolicy"}]}, "'applyPolicy'"),
        ({"minefields": [{"changed": "ogUnits"}]}, "'orgUnits'"),
        ({"tools": {"calls": ["listOrgUnit"]}}, "so no agent can meet this"),
        ({"tools": {"min": {"getTikcet": 1}}}, "did you mean 'getTicket'?"),
        ({"tools": {"forbidden": ["clsoe*"]}}, "did you mean 'closeTicket'?"),
        ({"witnesses": {"tools": ["getTikcet"]}}, "did you mean 'getTicket'?"),
        (
            {"witnesses": {"seen_as": {"move": "directory.user.list"}}},
            "did you mean 'directory.users.list'?",
        ),
        ({"milestones": [{"name": "a", "call": "getTickets"}]}, "did you mean 'getTicket'?"),
        ({"tools": {"calls": [{"name": "getTicket", "args": {"nubmer": 1}}]}}, "'number'"),
        ({"tools": {"calls": [{"name": "applyPolicy", "args": {"policyschema": 1}}]}}, "Schema'?"),
        (
            {"server": {"requests": [LISTED]}},
            "the request 'directory.users.list' has nothing named 'userkey'",
        ),
        (
            {"server": {"state": {"expect": [{"collection": "users", "has": {"orgunitPath": 1}}]}}},
            "a resource of 'users' has nothing named 'orgunitPath'",
        ),
        (
            {"server": {"state": {"expect": [{"collection": "orgUnits", "where": {"nmae": 1}}]}}},
            "did you mean 'name'?",
        ),
    ],
)
def test_a_name_in_a_rule_that_nothing_bears_is_told_with_the_nearest(
    expect: dict[str, Any], said: str
) -> None:
    (found,) = told(**expect)
    assert said in found


@pytest.mark.parametrize(
    "expect",
    [
        {"tools": {"forbidden": ["delete_*", "rm", "APPLYPOLICY"]}},
        {"server": {"requests": [{"method": "directory.*"}, {"method": "tools.mine"}]}},
        {"server": {"requests": [{"method": "*.delete"}, {"method": "youtube.videos.list"}]}},
        {"server": {"state": {"unchanged": ["*", "org*", "timeSeries", "users"]}}},
        {"milestones": [{"name": "a", "request": "GMAIL.users.messages.*"}]},
        {"tools": {"calls": ["lookup"], "forbidden": ["clone*", "cl*", "*kcet", "x*y"]}},
        {"tools": {"calls": [{"name": "getTicket", "args": {"colour": 1}}]}},
        {"tools": {"calls": [{"name": "applyPolicy", "args": SCHEMA, "args_mode": "schema"}]}},
        {"server": {"state": {"expect": [{"collection": "policies", "where": {"nam": 1}}]}}},
    ],
)
def test_what_exists_or_may_be_somebody_elses_is_not_told(expect: dict[str, Any]) -> None:
    assert told(**expect) == []


def test_a_tool_that_the_reference_calls_is_there() -> None:
    played = (ReferenceTurn(reports=(ReferenceCall(name="listOrgUnit"),)),)
    assert told(played, tools={"calls": ["listOrgUnit"]}) == []


def test_faults_and_required_tools_are_looked_at() -> None:
    fixtures = Fixtures(faults=(Fault(method="directory.user.list", status=503),))
    asked = case(fixtures=fixtures, required_tools=("aplyPolicy",))
    assert [remark.about for _, remark in misspelt_names([asked], Known(), {})] == [
        ["directory.user.list"],
        ["aplyPolicy"],
    ]


def test_the_mock_server_knows_its_names() -> None:
    known = known_names()
    assert "directory.users.delete" in known.methods
    assert "orgUnits" in known.collections
    assert "listOrgUnits" in known.tools
    assert "orgUnitPath" in known.fields("users")
    assert {"customerId", "orgUnitPath"} <= known.params("directory.orgunits.update")
    assert "orgUnit" in known.arguments("getChromeConnectorConfiguration")
    assert not known.fields("faults")
    assert not known.params("directory.none")
    assert not known.arguments("none")
