from datetime import UTC, datetime

import pytest

from harness.demo.google import Access
from harness.demo.sre.cloud import Cloud
from harness.demo.sre.flaws import NO_FLAWS, SreFlaws
from harness.demo.sre.toolbox import Toolbox, ToolFailedError
from tests.harness.demo.sre.conftest import Enter

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def toolbox(access: Access, flaws: SreFlaws = NO_FLAWS) -> Toolbox:
    return Toolbox(Cloud(access, "shop-prod"), lambda: NOON, flaws)


def test_calls_are_noted_with_what_they_gave(shop: Access) -> None:
    tools = toolbox(shop)
    assert tools.get_current_time() == "2026-11-20 12:00:00"
    assert len(tools.list_projects()) == 4
    assert [(use.name, use.status, use.result) for use in tools.uses] == [
        ("get_current_time", "ok", "2026-11-20 12:00:00"),
        ("list_projects", "ok", {"items": 4}),
    ]


def test_what_google_refuses_is_a_failed_call(sre_enter: Enter) -> None:
    fault = {"method": "logging.entries.list", "status": 403}
    tools = toolbox(sre_enter(faults=[fault]))
    with pytest.raises(ToolFailedError, match="list_log_entries failed"):
        tools.list_log_entries("severity>=ERROR")
    assert tools.uses[0].status == "error"


def test_skipped_metrics_are_no_calls(shop: Access) -> None:
    tools = toolbox(shop, SreFlaws(skips_tool=True))
    assert (tools.query_promql("up"), tools.list_time_series("x", 5), tools.uses) == ([], [], [])


def test_the_wrong_tool_is_called_in_the_place_of_the_right_one(shop: Access) -> None:
    tools = toolbox(shop, SreFlaws(wrong_tool=True))
    assert tools.trace_analyzer("/api/checkout", 2) == []
    assert [use.name for use in tools.uses] == ["list_log_entries"]


def test_metrics_bring_an_agent_that_crashes_down(shop: Access) -> None:
    with pytest.raises(RuntimeError, match="fell over"):
        toolbox(shop, SreFlaws(crashes=True)).query_promql("up")
