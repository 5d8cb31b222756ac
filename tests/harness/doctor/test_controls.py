from harness.doctor.controls import in_empty_world, on_base_alone, with_canaries
from harness.model import Evidence, Fixtures
from mockserver.model import Fault
from tests.harness.records import case

FAULT = Fault(method="directory.*", status=503)


def test_what_a_case_adds_to_the_base_is_taken_away() -> None:
    control = on_base_alone(
        case(fixtures=Fixtures(overrides=("A",), workspace={"a": "b"}, faults=(FAULT,), seed=3))
    )
    assert control is not None
    assert control.case.fixtures == Fixtures(seed=3)
    assert not control.only_faults


def test_a_case_that_adds_faults_alone_is_told_apart() -> None:
    control = on_base_alone(case(fixtures=Fixtures(faults=(FAULT,))))
    assert control is not None
    assert control.only_faults
    assert on_base_alone(case()) is None


def test_canaries_are_laid_into_snapshot_workspace_and_request() -> None:
    asked = case(
        Evidence(markers=("UNIT_42",)),
        fixtures=Fixtures(overrides=("A",), workspace={"a.txt": "UNIT_42"}),
        request={"unit": "UNIT_42"},
    )
    control = with_canaries(asked, {"units": [{"name": "UNIT_42"}]})
    assert control is not None
    ((value, other),) = control.changed
    assert value == "UNIT_42" != other
    assert control.layers == ({"units": [{"name": other}]},)
    assert control.case.fixtures == Fixtures(base=False, workspace={"a.txt": other})
    assert control.case.request == {"unit": other}
    assert control.case.expect == asked.expect


def test_a_case_that_asks_for_no_value_has_no_canaries() -> None:
    assert with_canaries(case(Evidence(markers=("nothing here",))), {"a": "nothing here"}) is None


def test_an_empty_world_keeps_its_time_alone() -> None:
    control = in_empty_world(case(), {"capturedAt": "2026-11-20T10:00:00Z", "users": []})
    assert control is not None
    assert control.layers == ({"capturedAt": "2026-11-20T10:00:00Z"},)
    assert not control.case.fixtures.base
    assert in_empty_world(case(), {}) is None
    bare = in_empty_world(case(), {"users": []})
    assert bare is not None
    assert bare.layers == ()
