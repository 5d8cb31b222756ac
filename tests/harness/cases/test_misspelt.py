from typing import Any

import pytest

from harness.cases.grammar import Expect, expectations
from harness.cases.misspelt import KnownNames, misspelt_names
from harness.environment import known_names
from tests.harness.records import case

KNOWN = KnownNames(
    methods=["directory.users.delete", "directory.users.list", "gmail.users.messages.send"],
    collections=["users", "orgUnits", "policies"],
    tools=["listOrgUnits", "applyPolicy"],
)


def told(**expect: Any) -> list[str]:
    asked = case(*expectations(Expect.model_validate(expect)), source="a.yaml")
    return [str(each) for each in misspelt_names([asked], KNOWN)]


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
    ],
)
def test_what_exists_or_may_be_somebody_elses_is_not_told(expect: dict[str, Any]) -> None:
    assert told(**expect) == []


def test_the_mock_server_knows_its_names() -> None:
    known = KnownNames(**known_names())
    assert "directory.users.delete" in known.methods
    assert "orgUnits" in known.collections
    assert "listOrgUnits" in known.tools
