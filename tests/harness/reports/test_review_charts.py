import struct

import pytest

from harness.model import ObservationCount, ReviewStability
from harness.reports import REVIEW_CHARTS
from harness.reports.review_charts import _mark, _range, _value
from tests.harness.reviews import PUBLISHED, counted, expecting, published_records, results_of

RESULTS = results_of(PUBLISHED, published_records())


def test_the_charts_have_the_names_of_the_original_ones() -> None:
    """CSR-31 to CSR-34: CSR-31, CSR-32, CSR-33, CSR-34."""
    assert list(REVIEW_CHARTS) == [
        "latency_by_case.png", "observation_counts.png", "stability.png", "pass_fail.png"
    ]  # fmt: skip


@pytest.mark.parametrize("name", REVIEW_CHARTS)
def test_the_same_results_make_the_same_picture(name: str) -> None:
    made = REVIEW_CHARTS[name](RESULTS)
    assert made == REVIEW_CHARTS[name](RESULTS)
    width, height = struct.unpack(">II", made[16:24])
    assert made.startswith(b"\x89PNG")
    assert width >= 800
    assert height >= 300


@pytest.mark.parametrize("name", REVIEW_CHARTS)
def test_results_without_cases_are_drawn_too(name: str) -> None:
    assert REVIEW_CHARTS[name](results_of((), ())).startswith(b"\x89PNG")


def test_a_range_may_have_one_bound() -> None:
    cases = [expecting("case_01", ObservationCount(min=2)), expecting("case_02")]
    results = results_of(cases, [*counted(1, case="case_01"), *counted(1, case="case_02")])
    assert REVIEW_CHARTS["observation_counts.png"](results).startswith(b"\x89PNG")


def test_what_is_drawn_of_a_case() -> None:
    first, *_ = RESULTS.cases
    stability = {"span": ReviewStability(value=0.5, label="problem")}
    case = first.model_copy(update={"stability": stability})
    assert (_value(case, "span"), _value(case, "severity")) == (0.5, None)
    counts = (ObservationCount(min=2, max=4), ObservationCount(min=1))
    ranged = [expecting("a", counts[0]), expecting("b", counts[1]), expecting("c")]
    results = results_of(ranged, [each for case in "abc" for each in counted(1, case=case)])
    assert [_range(each) for each in results.cases] == [(2, 4), (1, None), (None, None)]


def test_a_grid_says_passed_failed_or_nothing() -> None:
    """CSR-34: P, F or -; what was not evaluated is no failure."""
    grid = {case.id: _mark(case.checks[1:2]) for case in RESULTS.cases}
    assert grid == {"case_01": "F", "case_04": "F", "case_06": "-", "case_07": "-"}
    assert _mark(RESULTS.cases[3].checks) == "P"
