from typing import get_args

from harness.doctor import (
    RULES,
    ControlFigures,
    Coverage,
    Diagnosis,
    DriverFigures,
    Finding,
    diagnosis_text,
)
from harness.doctor.diagnosis import Rule, first_few
from harness.model import FixtureCoverage


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


DEAD = FixtureCoverage(collection="logs", fields=1, never_read=("x",), never_asserted=("x",))
DIAGNOSIS = Diagnosis(
    suite="suites/sick",
    cases=2,
    drivers=(DriverFigures(agent="null", passed=0, asked=2),),
    controls=(
        ControlFigures(kind="base-alone", agent="a", made=2, passed=1, unusable=1),
        ControlFigures(kind="canaries", agent="a", made=0, passed=0),
    ),
    coverage=Coverage(
        categories={"policy": 2},
        stages={"regression": 1, "new-path": 0},
        tags={},
        kinds={f"kind_{number}": 1 for number in range(14)},
        fixtures=(FixtureCoverage(collection="users", fields=3, never_read=("name",)), DEAD),
    ),
    findings=(
        Finding(rule="vacuous", level="error", case="A", message="passes"),
        Finding(rule="gap", level="note", message="nobody asks"),
    ),
)


def test_a_diagnosis_for_reading() -> None:
    lines = diagnosis_text(DIAGNOSIS).splitlines()
    assert lines[:5] == [
        "suites/sick: 2 cases",
        "  null: passes 0 of 2",
        "  base alone: 1 of 2 control trials pass, 1 could not be served",
        "  categories: policy 2",
        "  stages: regression 1",
    ]
    assert lines[5].endswith("and 2 more")
    assert lines[6:] == [
        "  fixture fields read: 2 of 4",
        "  fixture fields asserted: 3 of 4",
        "  dead fixtures, neither read nor asserted: logs",
        "case A",
        "  error [vacuous] passes",
        "1 error, 0 warnings, 1 note (--notes)",
    ]


def test_notes_are_told_when_asked_for() -> None:
    assert diagnosis_text(DIAGNOSIS, notes=True).splitlines()[-2:] == [
        "note [gap] nobody asks",
        "1 error, 0 warnings, 1 note",
    ]


def test_few_things_are_all_named() -> None:
    assert first_few(["a", "b", "c"]) == "a, b, c"
    assert first_few([]) == ""
