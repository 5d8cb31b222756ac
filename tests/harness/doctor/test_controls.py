import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.doctor.controls import (
    canary,
    canary_values,
    in_empty_world,
    on_base_alone,
    quoted_values,
    replace_values,
    visible_world,
    with_canaries,
)
from harness.model import (
    Evidence,
    ExpectedCall,
    Fixtures,
    ForbiddenEvidence,
    Reference,
    TextContains,
    ToolCalls,
    Turn,
)
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


def test_values_are_taken_from_what_a_case_requires_and_words_are_not() -> None:
    asked = case(
        Evidence(markers=("the unit orgunits/03ph8a2z1labora", "mode = PAC_SCRIPT")),
        ToolCalls(calls=(ExpectedCall(name="look", args={"user": "ada@example.com"}),)),
        TextContains(needles=("Laboratory", "/Support/Contractors")),
        TextContains(needles=("ANY_OF_THEM",), match="any"),
        Evidence(markers=("NOT_REQUIRED",), required=False),
        ForbiddenEvidence(markers=("FORBIDDEN_1",)),
        Reference(text="like REFERENCE_1"),
    )
    assert quoted_values(asked) == (
        "03ph8a2z1labora", "PAC_SCRIPT", "ada@example.com", "Contractors",
    )  # fmt: skip


def test_what_the_prompt_says_and_numbers_and_times_are_no_values() -> None:
    asked = case(
        Evidence(markers=("POLICY_LIMIT", "4021", "2026-11-20", "2026-11-20T10:00:00Z", "x1")),
        turns=(Turn(user="Is it policy_limit?"),),
    )
    assert quoted_values(asked) == ()


@given(
    st.from_regex(r"[A-Za-z0-9_.-]{4,30}(@example\.com)?", fullmatch=True),
    st.text(max_size=5),
)
def test_a_canary_has_the_shape_of_its_value_and_is_another_one(value: str, seed: str) -> None:
    other = canary(value, seed)
    shape = [re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", each)))
             for each in (value, other)]  # fmt: skip
    assert shape[0] == shape[1]
    assert canary(value, seed) == other
    assert (other != value) is any(letter.isalnum() for letter in value.partition("@")[0])


def test_values_are_replaced_everywhere_as_a_whole_keys_with_an_at_too() -> None:
    world = {"a@example.com": ["A@example.com", "xa@example.com"], "n": 1, "t": "see PAC_1, PAC_12"}
    assert replace_values(world, {"a@example.com": "b@example.com", "PAC_1": "QBD_7"}) == {
        "b@example.com": ["b@example.com", "xa@example.com"], "n": 1, "t": "see QBD_7, PAC_12",
    }  # fmt: skip
    assert replace_values(world, {}) is world


@pytest.mark.parametrize(
    ("identifiers", "found"),
    [(False, {"STATE_OFF", "03ph8a2z1labora"}), (True, {"03ph8a2z1labora"})],
    ids=["all", "identifiers only"],
)
def test_only_what_the_world_holds_as_a_value_gets_a_canary(
    identifiers: bool, found: set[str]
) -> None:
    asked = case(
        Evidence(markers=("STATE_OFF", "03PH8A2Z1labora", "proxyMode", "NOT_THERE")),
        fixtures=Fixtures(workspace={"a.txt": "STATE_OFF"}),
    )
    merged: dict[str, Any] = {"units": [{"proxyMode": "on", "id": "id:03ph8a2z1labora"}]}
    values = canary_values(asked, visible_world(asked, merged), identifiers=identifiers)
    assert {value.replace("PH8A2Z", "ph8a2z") for value in values} == found
