from itertools import combinations_with_replacement
from typing import Any

import pytest

from harness.errors import Exit
from harness.model import (
    Canary,
    CaseComparison,
    CaseDecision,
    CaseVerdict,
    Comparison,
    Custody,
    ObservationCount,
    Reply,
    TrialStatus,
)
from harness.model.comparison import Flag
from harness.verdicts.exits import (
    Limits,
    exit_code,
    exit_reasons,
    latest_canaries,
    regression_reasons,
    winning_code,
)
from tests.harness.records import case_decision, manifest, record, result, trial
from tests.harness.reviews import (
    PUBLISHED,
    answer,
    decided_review,
    expecting,
    observation,
    refusal,
    review,
)
from tests.harness.reviews import (
    trial as review_trial,
)

CASES: dict[str, tuple[CaseVerdict, list[TrialStatus]]] = {
    "p": ("passed", ["pass"]),
    "f": ("failed", ["fail"]),
    "y": ("flaky", ["pass", "fail"]),
    "n": ("inconclusive", ["fail"]),
    "m": ("inconclusive", ["replay_miss"]),
    "i": ("inconclusive", ["infra_error"]),
    "s": ("skipped", ["skipped"]),
    "w": ("passed", ["pass", "infra_error"]),
}


def _decision(letter: str, number: int) -> CaseDecision:
    verdict, statuses = CASES[letter]
    name = f"C-{number}"
    trials = tuple(trial(status, at, case=name) for at, status in enumerate(statuses, 1))
    valid = sum(status in {"pass", "fail"} for status in statuses)
    passed = statuses.count("pass")
    return CaseDecision(case=name, verdict=verdict, trials=trials, valid=valid, passed=passed)


def _run(letters: str, **facts: Any) -> Any:
    return result(*(_decision(letter, n) for n, letter in enumerate(letters, 1)), **facts)


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        pytest.param("ppp", Exit.OK, id="all-passed"),
        pytest.param("ps", Exit.OK, id="some-skipped"),
        pytest.param("", Exit.USAGE, id="nothing-selected"),
        pytest.param("pf", Exit.GATE_FAILED, id="a-failure"),
        pytest.param("py", Exit.GATE_FAILED, id="a-flaky-case"),
        pytest.param("pn", Exit.NO_VERDICT, id="an-inconclusive-case"),
        pytest.param("m", Exit.NO_VERDICT, id="only-replay-misses"),
        pytest.param("ss", Exit.NO_VERDICT, id="all-skipped"),
        pytest.param("iii", Exit.INFRASTRUCTURE, id="agent-stopped"),
        pytest.param("p" * 50 + "i", Exit.INFRASTRUCTURE, id="one-case-lost"),
        pytest.param("w", Exit.INFRASTRUCTURE, id="too-many-infra-errors"),
        pytest.param("p" * 18 + "w", Exit.OK, id="as-many-infra-errors-as-allowed"),
        pytest.param("p" * 17 + "w", Exit.INFRASTRUCTURE, id="one-trial-too-few"),
        pytest.param("inf", Exit.INFRASTRUCTURE, id="3-before-5-before-1"),
        pytest.param("nf", Exit.NO_VERDICT, id="5-before-1"),
    ],
)
def test_precedence(letters: str, expected: Exit) -> None:
    """SRER-10: a run that evaluated nothing is never green."""
    assert exit_code(_run(letters)) == expected


def test_of_several_codes_the_first_wins() -> None:
    order = [130, 2, 3, 5, 1, 4, 0]
    for first, second in combinations_with_replacement(order, 2):
        assert winning_code([first, second]) == winning_code([second, first]) == first
    assert winning_code([]) == 0


def test_everything_is_named_the_winner_first() -> None:
    reasons = exit_reasons(_run("inffff"))
    assert [(reason.code, reason.reason) for reason in reasons] == [
        (3, "1 of 6 trials ended in infrastructure errors, more than the 5% allowed"),
        (3, "no valid trial, for infrastructure errors: C-1"),
        (5, "inconclusive: C-1, C-2"),
        (1, "4 of 6 cases did not pass: C-3, C-4, C-5 and 1 more"),
    ]


def test_the_share_of_infra_errors_can_be_set() -> None:
    assert exit_code(_run("w"), Limits(max_infra=0.5)) == Exit.OK


def test_an_interrupted_run_says_so() -> None:
    assert exit_code(_run("f", interrupted=True)) == Exit.INTERRUPTED


def _worse(flag: Flag) -> CaseComparison:
    return CaseComparison(case="C-1", before=(3, 3), after=(1, 3), delta=-0.67, flag=flag)


FELL = {"effect": -0.125, "p_value": 0.01}


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (FELL, "the mean rate fell by 12.5 points against r0 (p = 0.01)"),
        ({**FELL, "effect": 0.125}, None),
        ({**FELL, "effect": 0.0}, None),
        ({**FELL, "effect": None}, None),
        ({**FELL, "p_value": 0.05}, None),
        ({"cases": (_worse("significant"),)}, "worse than in r0: C-1 (significant)"),
        ({"cases": (_worse("changed_outcome"),)},
         "another outcome than in r0, declared deterministic: C-1"),
        ({"cases": (_worse("same"),)}, None),
        ({"threshold": 0.1, "over_threshold": ("C-1",)}, "fell by more than 0.1: C-1"),
        ({"removed": ("C-1", "C-2")}, "cases of r0 that are gone: C-1, C-2"),
        ({"removed": ("C-1",), "allow_removed": True}, None),
    ],
)  # fmt: skip
def test_what_speaks_against_a_comparison(facts: dict[str, Any], reason: str | None) -> None:
    found = regression_reasons(Comparison(baseline="r0", candidate="r1", **facts))
    assert [(each.code, each.reason) for each in found] == (
        [(Exit.REGRESSION, reason)] if reason else []
    )


def test_a_strict_run_fails_for_recordings_too_many_and_too_few() -> None:
    strict = result().manifest.model_copy(update={"options": {"strict": True}})
    left = ("calls 1: GET https://a.example.com/", "calls 2: GET https://a.example.com/")
    assert exit_code(_run("p", recordings_unused=left)) == Exit.OK
    (unused,) = exit_reasons(_run("p", recordings_unused=left, manifest=strict))
    assert (unused.code, unused.reason.partition(": ")[2]) == (1, ", ".join(left))
    missed = exit_reasons(_run("m", manifest=strict))
    assert [each.code for each in missed] == [Exit.NO_VERDICT, Exit.GATE_FAILED]
    assert missed[1].reason == "calls that no recording answers (strict): C-1"
    assert exit_reasons(_run("p", manifest=strict)) == ()


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ({"recordings_doubtful": ("C-1: calls 2: why",)}, "recordings that may not fit (strict)"),
        ({"addresses_refused": ("C-1: h:443",)}, "live addresses that agents tried (strict)"),
    ],
)
def test_a_strict_run_fails_for_what_may_not_fit_and_for_live_addresses(
    found: dict[str, tuple[str, ...]], reason: str
) -> None:
    strict = result().manifest.model_copy(update={"options": {"strict": True}})
    assert exit_code(_run("p", **found)) == Exit.OK
    (told,) = exit_reasons(_run("p", manifest=strict, **found))
    assert (told.code, told.reason) == (1, f"{reason}: {next(iter(found.values()))[0]}")


def test_a_synthetic_run_has_no_verdict() -> None:
    """CEP-35: a run without an agent is never green, also where it was asked for as such."""
    made_up = _run("ss", records=(record("x", synthetic=True), record("x", synthetic=True)))
    assert exit_code(made_up) == Exit.NO_VERDICT
    assert exit_reasons(made_up)[0].reason == "no verdict: every reply was synthetic"


def test_records_that_were_changed_decide_nothing() -> None:
    """Whatever they say now: the evidence is not what was written."""
    made = _run("ppp", custody=(Custody(protected=True, changed=("trials/A/1.json",)),))
    assert exit_code(made) == Exit.INFRASTRUCTURE
    assert "changed while trials were running: trials/A/1.json" in exit_reasons(made)[0].reason


def test_an_empty_run_may_be_allowed() -> None:
    assert exit_code(result()) == 2
    assert exit_code(result(), Limits(allow_empty=True)) == 0


def test_what_was_left_out_is_a_usage_error() -> None:
    """Pitfall 22: the valid cases were run, and the exit code is still not 0."""
    made = result(case_decision("A", ["pass"]), manifest=manifest(["A"], left_out=("bad.yaml:3",)))
    assert exit_code(made) == 2
    assert exit_reasons(made)[0].reason == "invalid, and left out: bad.yaml:3"


def test_a_canary_that_died_is_infrastructure_until_the_run_is_finished_well() -> None:
    died = [Canary(when="before", at=""), Canary(when="after", at="", error="no answer")]
    well = [Canary(when="before", at=""), Canary(when="after", at="")]
    made = result(case_decision("A", ["pass"]))
    assert exit_code(made.model_copy(update={"canaries": (*well, *died)})) == 3
    assert exit_code(made.model_copy(update={"canaries": (*died, *well)})) == 0


@pytest.mark.parametrize(
    ("times", "since"), [("", 0), ("b", 0), ("a", 0), ("ba", 0), ("baba", 2), ("bbab", 3)]
)
def test_canaries_count_since_trials_were_last_begun(times: str, since: int) -> None:
    names = {"b": "before", "a": "after"}
    canaries = [Canary.model_validate({"when": names[each], "at": str(n)})
                for n, each in enumerate(times)]  # fmt: skip
    assert latest_canaries(canaries) == canaries[since:]


CASE = expecting("case_01", ObservationCount(max=9))


@pytest.mark.parametrize(
    ("least", "code"), [(None, Exit.OK), (0.5, Exit.OK), (0.51, Exit.GATE_FAILED)], ids=str
)
def test_reviews_may_be_asked_to_be_alike(least: float | None, code: Exit) -> None:
    same = observation("A")
    records = [
        review_trial("case_01", 1, review(same, observation("B"))),
        review_trial("case_01", 2, review(same)),
    ]
    assert exit_code(decided_review([CASE], records), Limits(min_stability=least)) == code


def test_what_cannot_be_compared_is_no_instability() -> None:
    result = decided_review(
        [CASE], [review_trial("case_01", 1, review()), review_trial("case_01", 2, review())]
    )
    assert exit_reasons(result, Limits(min_stability=1)) == ()
    bare = result.model_copy(update={"statistics": None})
    assert exit_reasons(bare, Limits(min_stability=1)) == ()


@pytest.mark.parametrize(
    ("answers", "is_dead"),
    [
        pytest.param([answer({}, 500), answer({}, 500)], True, id="nothing but 500"),
        pytest.param([answer({}, 500), refusal()], False, id="one answer"),
        pytest.param([review(), review()], False, id="reviews"),
    ],
)
def test_a_service_that_only_fails_is_no_baseline(answers: list[Reply], is_dead: bool) -> None:
    """CSR-29: nothing was reviewed, so that no rate can be told."""
    cases = [expecting(f"case_0{place}", ObservationCount(max=9)) for place in (1, 2)]
    records = [review_trial(case.id, 1, made) for case, made in zip(cases, answers, strict=True)]
    result = decided_review(cases, records)
    said = [each.reason for each in result.exit_reasons if each.code == Exit.INFRASTRUCTURE]
    assert (said == ["every call of the service failed, with HTTP 500"]) == is_dead


def test_a_service_that_was_not_reached_failed_no_call() -> None:
    lost = decided_review(PUBLISHED, [review_trial(case.id, 1) for case in PUBLISHED])
    assert not any("every call" in each.reason for each in lost.exit_reasons)
