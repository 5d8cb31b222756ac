from harness.doctor import (
    ControlFigures,
    Coverage,
    Diagnosis,
    DriverFigures,
    Finding,
    FixtureCoverage,
    as_text,
)

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
        fixtures=(FixtureCoverage(collection="users", fields=3, never_read=("name",)),),
    ),
    findings=(
        Finding(rule="vacuous", level="error", case="A", message="passes"),
        Finding(rule="gap", level="note", message="nobody asks"),
    ),
)


def test_a_diagnosis_for_reading() -> None:
    lines = as_text(DIAGNOSIS).splitlines()
    assert lines[:5] == [
        "suites/sick: 2 cases",
        "  null: passes 0 of 2",
        "  base alone: 1 of 2 control trials pass, 1 could not be served",
        "  categories: policy 2",
        "  stages: regression 1",
    ]
    assert lines[5].endswith("and 2 more")
    assert lines[6:] == [
        "  fixture fields read: 2 of 3",
        "case A",
        "  error [vacuous] passes",
        "1 error, 0 warnings, 1 note (--notes)",
    ]


def test_notes_are_told_when_asked_for() -> None:
    assert as_text(DIAGNOSIS, notes=True).splitlines()[-2:] == [
        "note [gap] nobody asks",
        "1 error, 0 warnings, 1 note",
    ]
