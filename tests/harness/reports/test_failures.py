import pytest

from harness.checks import CHECKS
from harness.model import (
    CheckResult,
    Evidence,
    ReplySchema,
    Rubric,
    TrialStatus,
)
from harness.reports.failures import (
    REMEDIES,
    case_classes,
    class_counts,
    failure_class,
    failures,
    remedies,
    trial_classes,
)
from harness.verdicts import decide_trial
from tests.harness.example_run import example_run
from tests.harness.records import case, case_decision, record, result, trial


def test_every_kind_of_expectation_has_a_class() -> None:
    assert all(check.kind.failure for check in CHECKS.values())
    assert failure_class("tampering") == "tampering"  # which no case has to ask for


def test_the_three_classes_of_a_registry_case_are_told_apart() -> None:
    """CEP-46: schema mismatch, missing evidence, low rubric score."""
    asked = case(
        ReplySchema(fields=("diagnosis",)),
        Evidence(markers=("402",)),
        Rubric(min_score=1, criteria=("next",)),
    )
    assert trial_classes(decide_trial(asked, record("Hm."))) == (
        "schema mismatch",
        "missing evidence",
        "low rubric score",
    )


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("pass", ()),
        ("agent_error", ("agent error",)),
        ("infra_error", ("infrastructure",)),
        ("replay_miss", ("replay miss",)),
        ("skipped", ("skipped",)),
        ("not_evaluated", ("not evaluated",)),
    ],
)
def test_a_status_is_a_class_of_its_own(status: TrialStatus, expected: tuple[str, ...]) -> None:
    assert trial_classes(trial(status)) == expected


def test_what_only_informs_is_no_failure() -> None:
    told = CheckResult(kind="budget", status="informational", required=False, reason="x")
    missing = CheckResult(kind="evidence", status="not_evaluated")
    passed = CheckResult(kind="rubric", status="pass")
    told_trial = trial("not_evaluated", checks=(told, missing, passed))
    assert trial_classes(told_trial) == ("not evaluated",)


def test_failures_come_in_run_order_with_their_classes() -> None:
    found = failures(example_run())
    assert [(each.case.id, each.classes) for each in found] == [
        ("EC-002", ("schema mismatch", "missing evidence", "low rubric score")),
        ("EC-003", ("missing text", "agent error")),
        ("EC-004", ("infrastructure",)),
    ]
    assert case_classes(found[1].decision) == found[1].classes


def test_classes_are_counted_by_case() -> None:
    assert class_counts(example_run())["missing text"] == 1


STATUSES = {"agent error", "infrastructure", "replay miss", "not evaluated"}


def test_every_class_of_failure_has_a_remedy_and_no_remedy_is_for_nothing() -> None:
    """CEP-49"""
    cured = {name for remedy in REMEDIES for name in remedy.classes}
    assert cured == {*map(failure_class, CHECKS), "tampering", *STATUSES}
    assert [remedy.name for remedy in REMEDIES[:6]] == [
        "Tighten the case",
        "Adjust the fixture",
        "Adjust the prompt",
        "Improve the instructions",
        "Add or improve tools",
        "Use retrieval or web search",
    ]


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        (["pass"], []),
        (["agent_error"], [("Mend the agent", ("agent error",))]),
        (["infra_error"], [("Mend the surroundings", ("infrastructure",))]),
        (["skipped"], []),
    ],
    ids=str,
)
def test_remedies_speak_of_what_occurred(statuses: list[TrialStatus], expected: object) -> None:
    found = remedies(result(case_decision("A", statuses)))
    assert [(remedy.name, classes) for remedy, classes in found] == expected


def test_what_the_surroundings_lack_is_told_in_their_own_words() -> None:
    lost = case_decision("A", ["infra_error"])
    trials = tuple(each.model_copy(update={"reason": "no faker"}) for each in lost.trials)
    ((remedy, _),) = remedies(result(lost.model_copy(update={"trials": trials})))
    assert remedy.what.startswith("no faker; the agent or the server could not be reached")


def test_what_may_cure_the_most_comes_first() -> None:
    found = [(remedy.name, len(classes)) for remedy, classes in remedies(example_run())]
    assert found[0] == ("Improve the instructions", 4)
    assert found[-1][1] == 1
