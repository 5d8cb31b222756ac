from typing import get_args

from harness.doctor import RULES, Coverage, Diagnosis, Finding
from harness.doctor.diagnosis import Rule


def test_every_rule_is_explained() -> None:
    assert set(RULES) == set(get_args(Rule))


def test_findings_are_counted_by_level_and_come_back_from_json() -> None:
    diagnosis = Diagnosis(
        suite="s",
        cases=1,
        drivers=(),
        controls=(),
        coverage=Coverage(categories={}, stages={}, tags={}, kinds={}),
        findings=(Finding(rule="gap", level="note", message="m"),),
    )
    assert (diagnosis.count("note"), diagnosis.count("error")) == (1, 0)
    assert Diagnosis.model_validate_json(diagnosis.model_dump_json()) == diagnosis
