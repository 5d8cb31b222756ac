from collections.abc import Callable

import pytest

from harness.demo.flaws import FLAWS
from harness.demo.google import Access, Google, GoogleError, JsonObject
from harness.demo.investigation import Investigation, ToolFailedError

ORG_UNIT = "03ph8a2zx3qh4wr"


def refuse(_: Google, __: JsonObject) -> JsonObject:
    raise GoogleError("directory.orgunits.list", 403, "forbidden", "Not Authorized")


def echo(_: Google, args: JsonObject) -> JsonObject:
    return {"asked": args}


@pytest.fixture
def case() -> Callable[..., Investigation]:
    tools = {"listOrgUnits": refuse, "getChromeEvents": echo, "applyPolicyChange": refuse}

    def start(flaw: str = "") -> Investigation:
        flaws = FLAWS[flaw] if flaw else FLAWS["skips-tool"].__class__()
        return Investigation("?", Google(Access()), flaws, tools=tools)

    return start


def test_every_use_is_taken_down(case: Callable[..., Investigation]) -> None:
    asked = case()
    assert asked.use("getChromeEvents", days=7) == {"asked": {"days": 7}}
    asked.use("getChromeEvents")
    assert [(use.name, use.status, use.step) for use in asked.uses] == [
        ("getChromeEvents", "ok", 0),
        ("getChromeEvents", "ok", 1),
    ]


def test_a_refused_tool_is_taken_down_and_raised(case: Callable[..., Investigation]) -> None:
    asked = case()
    with pytest.raises(ToolFailedError, match=r"listOrgUnits: .*403: Not Authorized"):
        asked.use("listOrgUnits")
    assert (asked.uses[0].status, asked.uses[0].result["status"]) == ("error", 403)


def test_ids_are_stated_as_they_were_read(case: Callable[..., Investigation]) -> None:
    assert case().cite(ORG_UNIT) == ORG_UNIT


def test_the_inventor_keeps_the_shape_of_an_id_and_nothing_else(
    case: Callable[..., Investigation],
) -> None:
    assert case("invents-id").cite(ORG_UNIT) == "03ph00000000000"


def test_the_skipper_never_asks_for_events(case: Callable[..., Investigation]) -> None:
    asked = case("skips-tool")
    assert asked.use("getChromeEvents") == {"events": []}
    assert asked.uses == []


def test_the_claimer_reports_a_write_it_never_made(case: Callable[..., Investigation]) -> None:
    asked = case("claims-write")
    said = asked.use("applyPolicyChange", orgUnit=ORG_UNIT, value={"a": 1})
    assert said == {"applied": True, "value": {"a": 1}, "source": f"orgunits/{ORG_UNIT}"}
    assert asked.uses[0].status == "ok"


def test_the_claimer_reports_a_rule_it_never_made(case: Callable[..., Investigation]) -> None:
    said = case("claims-write").use("createDLPRule", displayName="No cards")
    assert (said["created"], said["rule"]["displayName"]) == (True, "No cards")
