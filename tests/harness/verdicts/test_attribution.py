import pytest

from harness.model import Attribution, CheckResult, TrialStatus
from harness.verdicts.decisions import attribute
from mockserver.model import Journal, Miss
from tests.harness.records import entry, record, trial


def _check(status: str, kind: str = "evidence") -> CheckResult:
    return CheckResult.model_validate({"kind": kind, "status": status})


FAILED, OPEN, JUDGE = _check("fail"), _check("not_evaluated"), _check("not_evaluated", "judge")


@pytest.mark.parametrize(
    ("status", "checks", "whose"),
    [
        ("pass", [], None),
        ("skipped", [], None),
        ("infra_error", [], "infrastructure"),
        ("replay_miss", [], "fixture"),
        ("agent_error", [], "agent"),
        ("fail", [FAILED], "agent"),
        ("fail", [FAILED, JUDGE], "agent"),
        ("not_evaluated", [JUDGE], "judge"),
        ("not_evaluated", [JUDGE, OPEN], "case"),
        ("not_evaluated", [], "case"),
    ],
)
def test_whose_failure_it_is(
    status: TrialStatus, checks: list[CheckResult], whose: Attribution | None
) -> None:
    """Pitfalls 3 and 5"""
    assert attribute(trial(status, checks=tuple(checks)), record("x")) == whose


@pytest.mark.parametrize(
    ("blame", "whose"),
    [("not_emulated", "fixture"), ("fixture_gap", "agent"), ("agent_error", "agent")],
)
def test_what_the_mock_does_not_emulate_is_no_mistake_of_the_agent(blame: str, whose: str) -> None:
    miss = Miss.model_validate({"blame": blame, "reason": "none"})
    seen = record("x", journal=Journal(entries=(entry("a.b", miss=miss),)))
    assert attribute(trial("fail", checks=(FAILED,)), seen) == whose


def test_a_late_call_is_not_held_against_the_fixtures() -> None:
    miss = Miss(blame="not_emulated", reason="none")
    late = record("x", journal=Journal(entries=(entry("a.b", miss=miss, after_close=True),)))
    assert attribute(trial("fail", checks=(FAILED,)), late) == "agent"


@pytest.mark.parametrize(
    ("ignored", "status", "whose"),
    [
        (["orderBy"], 200, "fixture"),
        (["prettyPrint", "quotaUser"], 200, "agent"),
        (["q (isStarred:)", "alt"], 200, "fixture"),
        (["etag", "made_up"], 200, "agent"),
        (["orderBy"], 400, "agent"),
    ],
)
def test_a_parameter_that_was_ignored_is_a_gap_of_the_fixture(
    ignored: list[str], status: int, whose: str
) -> None:
    seen = entry("a.b", status=status, ignored=tuple(ignored))
    trial_seen = record("x", journal=Journal(entries=(seen,)))
    assert attribute(trial("fail", checks=(FAILED,)), trial_seen) == whose
    assert attribute(trial("pass"), trial_seen) is None
