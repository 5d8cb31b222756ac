import pytest

from harness.cases import LIFECYCLE, count_stages
from harness.cases.lifecycle import misspelt_stages
from tests.harness.records import case


def test_cases_are_counted_by_stage_those_without_any_too() -> None:
    """CEP-62: new path, bug that must not regress, customer failure, coverage gap."""
    cases = [case(tags=("Regression", "regression")), case(tags=("customer-failure", "units"))]
    assert count_stages(cases) == {
        "new-path": 0, "regression": 1, "customer-failure": 1, "coverage-gap": 0,
    }  # fmt: skip
    assert list(LIFECYCLE) == list(count_stages([]))


@pytest.mark.parametrize("tag", ["regresion", "new_path", "Customer failure", "coverage-gaps"])
def test_a_tag_that_is_nearly_a_stage_is_a_typo(tag: str) -> None:
    (remark,) = misspelt_stages(case(tags=(tag,)))
    assert remark.about == [tag]
    assert "did you mean" in remark.hint


@pytest.mark.parametrize("tag", ["regression", "New-Path", "units", "inheritance"])
def test_stages_and_other_tags_are_fine(tag: str) -> None:
    assert list(misspelt_stages(case(tags=(tag,)))) == []
