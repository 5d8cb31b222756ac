"""The agent against its suite: good, each of its flaws, and the worlds of single cases."""

import pytest

from harness.cases import load_suite
from harness.demo.google import Access
from harness.demo.sre import FLAWS, NO_FLAWS, SreFlaws, answer
from harness.demo.sre.agent import last_question
from harness.model import Case, Reply, ToolCall
from harness.verdicts import decide_trial
from tests.harness.demo.sre.conftest import SUITE, Enter
from tests.harness.records import record

CASES = load_suite(SUITE).cases
METRICS = {
    *("error-share", "checkout-p95", "cart-memory", "cart-restarts", "payments-restarts"),
    *("checkout-traffic", "restarts-of-frontend", "checkout-incident"),
}


def status(case: Case, access: Access, flaws: SreFlaws = NO_FLAWS) -> str:
    """What becomes of a trial of a case."""
    replies, error = [], ""
    for number, turn in enumerate(case.turns, start=1):
        try:
            said = answer(turn.user, access, flaws)
        except RuntimeError as crash:
            error = str(crash)
            break
        calls = tuple(
            ToolCall(name=use.name, args=use.args, turn=number, status=use.status)
            for use in said.uses
        )
        replies.append(Reply(turn=number, prompt=turn.user, text=said.text, tool_calls=calls))
    outcome = "agent_error" if error else "replied"
    trial = record(*replies, case=case.id, outcome=outcome, error=error)
    return decide_trial(case, trial).status


@pytest.fixture(scope="module")
def worlds(shop: Access, sre_enter: Enter) -> dict[str, Access]:
    """Each case's own world; that of the base for those that change nothing."""
    return {
        case.id: sre_enter(overrides=case.fixtures.overrides) if case.fixtures.overrides else shop
        for case in CASES
    }


def test_a_good_agent_passes_every_case(worlds: dict[str, Access]) -> None:
    """SRE-13: sanity, metrics by PromQL, tools for latency; and a whole incident."""
    assert {case.id for case in CASES if status(case, worlds[case.id]) != "pass"} == set()
    assert {case.category for case in CASES} == {
        *("basic_capabilities", "metrics_analysis", "tool_selection", "incident_investigation")
    }


@pytest.mark.parametrize(
    ("flaw", "wanted", "failed"),
    [
        pytest.param("skips-tool", METRICS, "fail", id="skips-tool"),
        pytest.param(
            "wrong-tool",
            {"open-alerts", "latency-by-traces", "errors-by-group", "slow-traces"},
            "fail",
            id="wrong-tool",
        ),
        pytest.param("no-numbers", METRICS - {"restarts-of-frontend", "checkout-incident"}, "fail",
                     id="no-numbers"),
        pytest.param("crashes", METRICS, "agent_error", id="crashes"),
    ],
)  # fmt: skip
def test_each_flaw_fails_its_cases_and_no_other(
    worlds: dict[str, Access], flaw: str, wanted: set[str], failed: str
) -> None:
    """SRE-10, SRE-11: wrong tools, missing strings and crashes each fail a case; a crash is told
    as an execution failure."""
    found = {case.id: status(case, worlds[case.id], FLAWS[flaw]) for case in CASES}
    assert {found[id] for id in wanted} == {failed}
    assert found["current-time" if flaw != "no-numbers" else "list-projects"] == "pass"


def test_a_case_without_its_own_world_fails(shop: Access) -> None:
    changed = [case for case in CASES if case.fixtures.overrides]
    assert len(changed) == 2
    assert {status(case, shop) for case in changed} == {"fail"}


def test_questions_name_their_project(shop: Access) -> None:
    text = answer("What is the project number of shop-prod?", shop, project="shop-staging").text
    assert text.startswith("shop-staging has the number 415104041337")
    named = answer("Who deployed checkout last in project shop-staging?", shop)
    assert named.text == "No deployment is in the audit log."


def test_what_is_refused_or_unknown_is_said(shop: Access, sre_enter: Enter) -> None:
    refused = sre_enter(faults=[{"method": "monitoring.projects.alerts.list", "status": 403}])
    assert answer("Any alerts?", refused).text.startswith("I could not find out")
    assert "Ask about those" in answer("Hello", shop).text


def test_the_last_question_counts() -> None:
    assert (
        last_question([{"role": "user", "content": "A"}, {"role": "user", "content": "B"}]) == "B"
    )
    assert last_question([]) == ""
