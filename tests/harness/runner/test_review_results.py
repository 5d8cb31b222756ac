import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.cli.review_output import read_results
from harness.errors import HarnessError
from harness.model import (
    ObservationCount,
    ObservationSeverity,
    Policy,
    ReplySchema,
    ReviewResults,
    ServiceStatus,
    TextContains,
)
from harness.runner import is_review, review_results
from tests.harness.example_run import example_run
from tests.harness.reviews import (
    PUBLISHED,
    answer,
    counted,
    decided_review,
    expecting,
    observation,
    published_records,
    refusal,
    results_of,
    review,
    trial,
)


def published() -> dict[str, Any]:
    return {case.id: case for case in results_of(PUBLISHED, published_records()).cases}


def test_every_repeat_counts_and_not_the_first_alone() -> None:
    """Pitfall 1; CSRR-01, CSRR-14: [2, 2, 4] in 0-3 is 2 of 3, and so is [7, 3, 5] in 1-6."""
    found = published()
    for id, counts in {"case_01": (2, 2, 4), "case_04": (7, 3, 5)}.items():
        assert (found[id].passed_runs, found[id].valid, found[id].passed) == (2, 3, False)
        assert found[id].observations == counts
    strict = results_of(PUBLISHED, published_records())
    lenient = results_of(PUBLISHED, published_records(), policy={"pass": "majority"})
    assert [result.summary.cases_passed for result in (strict, lenient)] == [1, 3]


def test_each_check_says_what_was_found_in_text_and_in_numbers() -> None:
    """CSR-20, CSR-37, CSRR-15: what holds is visible beside what does not."""
    checks = {check.check: check for check in published()["case_04"].checks}
    count = checks["observation_count"]
    assert (count.passed, count.detail) == (False, "7, 3, 5 (expected 1-6)")
    assert count.numbers == {"counts": [7, 3, 5], "min": 1, "max": 6}
    assert checks["expected_ref:NAV-TR-3.1.1"].passed
    assert checks["expected_severity:warning"].detail == "passed in 3 of 3 runs"
    assert published()["case_04"].status == "partial"
    error = published()["case_07"].checks[0]
    assert (error.check, error.numbers["statuses"]) == ("expected_error_code", [422] * 3)


def test_a_timeout_is_a_status_of_its_own_and_no_latency() -> None:
    """CSR-28, CSRR-08: no 60 s in the mean, no quality failure."""
    results = results_of(PUBLISHED, published_records())
    late = next(case for case in results.cases if case.id == "case_06")
    assert (late.status, late.passed, late.valid) == ("timeout", None, 0)
    assert late.checks[-1].detail == "no valid run"
    latency = results.summary.latency
    assert (latency.n, latency.timeouts, latency.mean, latency.max) == (9, 3, 200.0, 300.0)
    assert "3 timeouts (>= 60000 ms) outside the mean" in latency.text


def test_refusals_have_their_latency_and_reviews_theirs() -> None:
    """CSR-24, CSRR-07, CSRR-08: 3 ms of an error make no review faster."""
    found = published()
    assert found["case_07"].latency.mean == 3.0
    latency = found["case_01"].latency
    assert (latency.mean, latency.min, latency.max, latency.p95) == (200.0, 100.0, 300.0, 300.0)


def test_a_failed_call_makes_the_expectations_no_fewer() -> None:
    """CSR-27, CSRR-09: the denominator is what is written down."""
    summary = results_of(PUBLISHED, published_records()).summary
    assert (summary.expectations_passed, summary.expectations_total) == (3, 6)
    assert (summary.expectations_open, summary.cases_invalid, summary.cases_total) == (1, 1, 4)
    lost = results_of(PUBLISHED, [trial(case.id, 1) for case in PUBLISHED]).summary
    assert (lost.expectations_total, lost.expectations_open) == (6, 6)


def stability(*runs: Any, name: str = "span") -> tuple[float | None, str, float | None]:
    case = expecting("case_01", ObservationCount(max=9))
    records = [trial("case_01", number, made) for number, made in enumerate(runs, start=1)]
    found = {str(key): each for key, each in results_of([case], records).cases[0].stability.items()}
    return found[name].value, found[name].label, found[name].csr_compat


A, B = observation("A", span="here"), observation("B", span="there")


@pytest.mark.parametrize(
    ("runs", "value", "label", "compat"),
    [
        pytest.param([review(A), review(A)], 1.0, "ideal", 1.0, id="equal"),
        pytest.param([review(A), review()], 0.0, "problem", 1.0, id="one empty"),
        pytest.param([review(), review()], None, "n/a", 1.0, id="both empty"),
        pytest.param([review(A), review(B)], 0.0, "problem", 1.0, id="disjoint"),
        pytest.param([review(A, A), review(A)], 0.5, "problem", 1.0, id="doubles"),
        pytest.param([refusal(), refusal()], None, "n/a", None, id="errors"),
        pytest.param([None, None], None, "n/a", None, id="no answers"),
        pytest.param([review(A), None, review(A)], 1.0, "ideal", 1.0, id="one lost"),
        pytest.param([review(A)], None, "n/a", None, id="one run"),
    ],
)
def test_stability_is_not_vacuous(
    runs: list[Any], value: float | None, label: str, compat: float | None
) -> None:
    """Pitfall 2; CSR-18, CSRR-04, CSRR-05; the original number stands beside, labelled."""
    assert stability(*runs) == (value, label, compat)


@pytest.mark.parametrize(
    ("family", "names"), [("client_error", set()), ("success", {"span", "severity"})]
)
def test_a_case_that_expects_an_error_has_no_stability(family: Any, names: set[str]) -> None:
    case = expecting("case_01", ServiceStatus(family=family))
    records = [trial("case_01", number, refusal()) for number in (1, 2)]
    [found] = results_of([case], records).cases
    assert found.expect_error == (family == "client_error")
    assert set(found.stability) == names


def test_severities_are_held_against_each_other_apart_from_spans() -> None:
    """CSR-19."""
    grave = observation("A", "violation", "here")
    assert stability(review(A), review(grave), name="severity")[0] == 0.0
    assert stability(review(A), review(grave), name="span")[0] == 1.0


def test_the_figures_of_a_run_have_the_stability_too() -> None:
    """It is in report.json, and a gate can be set on it."""
    case = expecting("case_01", ObservationCount(max=9))
    records = [trial("case_01", 1, review(A)), trial("case_01", 2, review(B))]
    told = decided_review([case], records).statistics
    assert told is not None
    names = {each.name: each.value for each in told.cases[0].stability}
    assert (names["span"], names["severity"]) == (0.0, 0.0)


def test_a_run_in_which_every_call_failed_is_no_baseline() -> None:
    """CSR-29, pitfall 5."""
    assert not results_of(PUBLISHED, [trial(case.id, 1) for case in PUBLISHED]).summary.valid
    broken = [trial(case.id, 1, answer({"detail": "no"}, 500)) for case in PUBLISHED]
    assert not results_of(PUBLISHED, broken).summary.valid


def test_a_run_that_found_nothing_at_all_is_warned_of() -> None:
    """CSR-29: a service that hides its failure behind empty reviews passes half of the cases."""
    empty = [trial(case.id, 1, review()) for case in PUBLISHED[:3]]
    results = results_of(PUBLISHED[:3], empty)
    assert results.summary.cases_passed == 2
    assert "no review found anything" in results.summary.warnings[0]
    clean = [expecting("case_01", ObservationCount(max=3))]
    assert results_of(clean, [trial("case_01", 1, review())]).summary.warnings == ()


def test_results_tell_what_was_run_and_why() -> None:
    """CSR-05, CSRR-13: an experiment has its hypothesis."""
    results = results_of(
        PUBLISHED[:1], counted(1, case="case_01"), note="H1", options={"backend": "ollama"}
    )
    told = results.experiment
    assert (told.hypothesis, told.backend, results.backend) == ("H1", "ollama", "ollama")
    assert told.runs_per_case == 1


def test_ranges_are_tuned_on_stored_runs() -> None:
    """CSR-38: the service is not asked again."""
    wider = [
        case.model_copy(update={"expect": (ServiceStatus(), ObservationCount(min=0, max=7))})
        for case in PUBLISHED[:2]
    ]
    records = published_records()[:6]
    before: ReviewResults = results_of(PUBLISHED[:2], records)
    after = results_of(wider, records)
    assert [case.passed for case in before.cases] == [False, False]
    assert [case.passed for case in after.cases] == [True, True]
    assert [case.observations for case in after.cases] == [(2, 2, 4), (7, 3, 5)]


def test_a_case_may_have_other_checks_and_a_policy_of_its_own() -> None:
    case = expecting(
        "case_01",
        ReplySchema(model="python:harness.checks.reviews:ReviewResponse"),
        ObservationSeverity(severity="warning", required=False),
        TextContains(needles=("naval",)),
        policy=Policy(rate=0.3),
    )
    result = results_of([case], counted(0, 1, 1, case="case_01")).cases[0]
    assert [check.check for check in result.checks] == [
        "status", "schema", "expected_severity:warning", "text_contains"
    ]  # fmt: skip
    assert [check.runs_passed for check in result.checks] == [3, 3, 2, 3]
    assert [check.expectation for check in result.checks] == [False, False, True, True]
    assert result.status == "pass"


@pytest.mark.parametrize(
    ("record", "status"),
    [
        (trial("case_01", 1, review()), "fail"),
        (trial("case_01", 1), "infrastructure"),
        (trial("case_01", 1, review(), synthetic=True), "skipped"),
    ],
    ids=["fail", "infrastructure", "skipped"],
)
def test_a_case_has_one_word_for_what_came_of_it(record: Any, status: str) -> None:
    case = expecting("case_01", ObservationCount(min=1))
    assert results_of([case], [record]).cases[0].status == status


def test_only_requests_make_a_review() -> None:
    assert is_review(decided_review(PUBLISHED, published_records()))
    assert not is_review(example_run())
    assert review_results(decided_review((), ())).cases == ()


def told(check: str, detail: str, *, passed: bool = True) -> dict[str, Any]:
    return {"check": check, "passed": passed, "detail": detail}


def case(id: str, *checks: dict[str, Any], mean: float = 900, **facts: Any) -> dict[str, Any]:
    latency = {"mean_ms": mean, "min_ms": mean, "max_ms": mean, "p95_ms": mean}
    passed = all(check["passed"] for check in checks)
    known = {"case_id": id, "description": id, "latency": latency, "pass": passed}
    return {**known, "expectation_results": checks, **facts}


ALIKE = {"span_stability": 0.5, "severity_stability": 1.0}
CASES = [
    case(
        "case_01",
        told("observation_count", "2 (expected 0-3)"),
        observation_counts=[2, 2, 4],
        repeatability=ALIKE,
    ),
    case(
        "first_out_of_range",
        told("observation_count", "7 (expected 1-6)", passed=False),
        told("expected_severity:warning", "found in observations"),
        observation_counts=[7, 3, 5],
    ),
    case(
        "lacks_a_ref",
        told("observation_count", "2 (expected 1-6)"),
        told("expected_ref:A-1", "NOT found in observations", passed=False),
        observation_counts=[2, 2, 2],
    ),
    case("late", mean=60_050) | {"pass": False},
    case("broken") | {"pass": False},
    case("refused", told("expected_error_code", "expected 'EMPTY' in response")),
]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    path = tmp_path / "old_results.json"
    path.write_text(json.dumps({"backend": "x", "repeats": 3, "results": CASES}), "utf-8")
    return path


def test_each_run_is_held_against_the_range_that_the_file_tells(results: Path) -> None:
    found = {case.id: case for case in read_results(results).cases}
    assert {id: (case.passed_runs, case.valid, case.status) for id, case in found.items()} == {
        "case_01": (2, 3, "partial"),
        "first_out_of_range": (2, 3, "partial"),
        "lacks_a_ref": (0, 3, "partial"),
        "late": (0, 0, "timeout"),
        "broken": (0, 3, "fail"),
        "refused": (3, 3, "pass"),
    }
    assert found["case_01"].stability["span"].value == 0.5
    assert found["late"].latency.timeouts == 3


def test_a_count_is_told_with_its_range_and_as_it_was_written_without_one(tmp_path: Path) -> None:
    path = tmp_path / "old_results.json"
    checks = [told("observation_count", "2 found"), told("expected_ref:A-1", "found")]
    cases = [case(id, *checks, observation_counts=[2, 5]) for id in ("plain", "ranged")]
    path.write_text(json.dumps({"backend": "x", "repeats": 2, "results": cases}), "utf-8")
    plain, ranged = read_results(path, ranges={"ranged": (0, 3)}).cases
    assert [(each.detail, each.numbers) for each in plain.checks] == [
        ("2 found (first run)", {}),
        ("found (first run)", {}),
    ]
    assert [(each.detail, each.numbers) for each in ranged.checks] == [
        ("2, 5 (expected 0-3)", {"counts": [2, 5], "min": 0, "max": 3}),
        ("found (first run)", {}),
    ]


def test_another_policy_or_other_ranges_decide_otherwise(results: Path) -> None:
    majority = read_results(results, Policy(pass_="majority"))
    assert [case.id for case in majority.cases if case.passed] == [
        "case_01",
        "first_out_of_range",
        "refused",
    ]
    wider = read_results(results, ranges={"case_01": (0, 4)})
    assert wider.cases[0].passed_runs == 3


def test_the_commands_read_them(results: Path, tmp_path: Path) -> None:
    """CSR-30, CSR-35: old results are compared, drawn and decided anew."""
    drawn = CliRunner().invoke(app, ["visualize", str(results), "-o", str(tmp_path / "charts")])
    assert (drawn.exit_code, len([*(tmp_path / "charts").iterdir()])) == (0, 4)
    again = CliRunner().invoke(app, ["recheck", str(results), "--policy", "majority"])
    assert again.exit_code == 3
    assert "case_01: partial -> pass" in again.output
    assert "exit 3: no valid run, for time limits: late" in again.output
    same = CliRunner().invoke(app, ["compare", str(results), str(results)])
    assert (same.exit_code, "5 cases compared" in same.output) == (0, True)


@pytest.mark.parametrize(("ids", "code"), [(["refused"], 0), (["refused", "broken"], 1)])
def test_without_a_late_case_the_verdicts_are_the_exit_code(
    tmp_path: Path, ids: list[str], code: int
) -> None:
    path = tmp_path / "old_results.json"
    kept = [each for each in CASES if each["case_id"] in ids]
    path.write_text(json.dumps({"repeats": 3, "results": kept}), "utf-8")
    assert CliRunner().invoke(app, ["recheck", str(path)]).exit_code == code


def test_ranges_of_a_suite_decide_anew(results: Path, tmp_path: Path) -> None:
    suite = tmp_path / "cases"
    suite.mkdir()
    written = {
        "id": "case_01",
        "description": "d",
        "expectations": {"min_obs": 0, "max_obs": 4},
        "request": {"content": "x", "standards_set": "s", "strictness": "low"},
    }
    (suite / "case_01_one.json").write_text(json.dumps(written), "utf-8")
    told = CliRunner().invoke(app, ["recheck", str(results), "--suite", str(suite)])
    assert "case_01: partial -> pass" in told.output


def test_results_without_runs_cannot_be_decided_anew(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text("{}", "utf-8")
    found = CliRunner().invoke(app, ["recheck", str(path)]).exception
    assert isinstance(found, HarnessError)
    assert "no runs that could be decided anew" in str(found)
