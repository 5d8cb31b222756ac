from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from mockserver.capture.google.plans import (
    Limits,
    Plan,
    PlannedCall,
    ReferenceFailureError,
    fill_references,
    read_plan,
    references_in,
    with_variables,
)
from mockserver.capture.google_catalog import google_catalog
from mockserver.errors import FormatError, InvalidFilesError, MockServerError
from mockserver.googleapi import Catalog
from tests.mockserver.capture.google.plannedcalls import PLAN, write_plan


def test_a_call_tells_what_it_refers_to_and_where() -> None:
    call = PlannedCall(
        id="a",
        method="m",
        params={"p": "${x.y}"},
        body={"b": ["${now}"]},
        for_each={"unit": "${units.items}"},
    )
    assert list(call.references()) == [
        (("params", "p"), "x"),
        (("body", "b", 0), "now"),
        (("for_each", "unit"), "units"),
    ]


def test_a_plan_without_calls_is_none() -> None:
    with pytest.raises(ValidationError, match="calls"):
        Plan(name="empty", calls=())


def test_limits_are_above_nothing() -> None:
    with pytest.raises(ValidationError):
        Limits(max_pages=0)
    assert Limits(retries=0).retries == 0


NOW = "2026-11-20T09:00:00.000Z"
BUNDLED = sorted((Path(__file__).parents[4] / "cassettes" / "plans").glob("*.yaml"))


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return google_catalog()


def problems(path: Path, catalog: Catalog) -> list[str]:
    with pytest.raises(InvalidFilesError) as caught:
        read_plan(path, catalog)
    return [str(problem).removeprefix(f"{path}:") for problem in caught.value.problems]


def test_a_plan_is_read_with_what_is_written_in_it(tmp_path: Path, catalog: Catalog) -> None:
    plan, written = read_plan(write_plan(tmp_path), catalog)
    assert [call.id for call in plan.calls] == ["units", "policies"]
    assert (plan.limits.max_pages, plan.limits.max_items) == (3, 10_000)
    assert isinstance(written, dict)
    assert written["name"] == "small"


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_the_bundled_plans_are_sound(path: Path, catalog: Catalog) -> None:
    plan, _ = read_plan(path, catalog)
    assert plan.name == path.stem
    assert plan.about


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("params: {customerId", "parms: {customerId", "10: unknown field 'parms' (did you mean"),
        ("qps: 1000", "qsp: 1000", "6: unknown field 'qsp' (did you mean 'qps'"),
        ("name: small", "nam: small", "2: unknown field 'nam' (did you mean 'name'"),
        ("qps: 1000", "qps: 0", "6: limits.qps: must be greater than 0"),
        ("version: 1", "version: 7", "1: version: must be 1"),
        ("  - id: units", "  - id: 'a b'", "8: calls.0.id: must match"),
    ],
    ids=str,
)
def test_what_is_no_plan_is_told_with_its_line(
    tmp_path: Path, catalog: Catalog, old: str, new: str, said: str
) -> None:
    found = problems(write_plan(tmp_path, PLAN.replace(old, new)), catalog)
    assert any(problem.startswith(said) for problem in found), found


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "directory.orgunits.list",
            "directory.orgunit.list",
            "9: no method 'directory.orgunit.list' (did you mean 'directory.orgunits.list'",
        ),
        ("type: all", "typ: all", "10: directory.orgunits.list has no parameter 'typ' (did you"),
        ("policySchemaFilter", "schemaFilter", "16: the body of chromepolicy.customers.policies"),
        ("targetResource", "target", "17: the body of chromepolicy.customers.policies.resolve"),
        ("${units.", "${unit.", "13: nothing before is called 'unit' (did you mean 'units'"),
        ("|tail", "|head", "17: ${unit.orgUnitId|head} is no reference (such as"),
        ("${now-1d}", "${later}", "5: nothing before is called 'later'"),
        ("- id: policies", "- id: units", "11: 'units' is the name of something else already"),
        ("orgunits.list", "orgunits.delete", "9: directory.orgunits.delete changes things"),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_told_with_its_line(
    tmp_path: Path, catalog: Catalog, old: str, new: str, said: str
) -> None:
    found = problems(write_plan(tmp_path, PLAN.replace(old, new)), catalog)
    assert any(problem.startswith(said) for problem in found), found


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path, catalog: Catalog) -> None:
    text = PLAN.replace("orgunits.list", "orgunit.list").replace("|tail", "|head")
    assert len(problems(write_plan(tmp_path, text), catalog)) == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"calls: [", "not YAML"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"x: !!python/object:os.system {}", "python"),
        (b"# " + b"x" * (1 << 20), "which no plan is"),
    ],
    ids=["not-yaml", "not-text", "a-python-tag", "too-large"],
)
def test_files_that_hold_no_plan_are_refused(
    tmp_path: Path, catalog: Catalog, content: bytes, said: str
) -> None:
    path = tmp_path / "plan.yaml"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=said):
        read_plan(path, catalog)


def test_an_empty_file_and_one_that_is_not_there_are_refused(
    tmp_path: Path, catalog: Catalog
) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        read_plan(tmp_path / "nothing.yaml", catalog)
    assert problems(write_plan(tmp_path, ""), catalog)[0].startswith(
        "1: the plan: must be an object"
    )


def test_variables_are_given_by_name_and_may_refer_to_those_before(
    tmp_path: Path, catalog: Catalog
) -> None:
    plan, _ = read_plan(write_plan(tmp_path), catalog)
    found = with_variables(plan, ["customer=C0example"], NOW)
    assert found == {"now": NOW, "customer": "C0example", "since": "2026-11-19T09:00:00.000Z"}
    assert with_variables(plan, ["customer=[1]"], NOW)["customer"] == [1]
    moved = with_variables(plan, ["now=2026-01-02T00:00:00Z"], NOW)
    assert moved["since"] == "2026-01-01T00:00:00.000Z"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("customr=C0", "no variable 'customr'.*did you mean 'customer'"),
        ("customer", "no name=value"),
        ("=x", "no name=value"),
        ("customer=[1", "no JSON list"),
        ("now=soon", "not an RFC 3339"),
    ],
    ids=str,
)
def test_variables_that_cannot_be_are_refused(
    tmp_path: Path, catalog: Catalog, given: str, said: str
) -> None:
    plan, _ = read_plan(write_plan(tmp_path), catalog)
    with pytest.raises(MockServerError, match=said):
        with_variables(plan, [given], NOW)


def test_a_variable_without_a_value_has_to_be_given(tmp_path: Path, catalog: Catalog) -> None:
    path = write_plan(tmp_path, PLAN.replace("customer: my_customer", "customer: null"))
    plan, _ = read_plan(path, catalog)
    with pytest.raises(MockServerError, match=r"needs customer \(--set customer=\.\.\."):
        with_variables(plan, [], NOW)


KNOWN: dict[str, Any] = {
    "now": "2026-11-20T09:00:00Z",
    "unit": {"orgUnitId": "id:03ph2", "name": "Eng", "n": 3, "live": True},
    "orgUnits": {"organizationUnits": [{"orgUnitId": "id:1"}, {"orgUnitId": "id:2"}, {}]},
    "pages": [{"items": [1, 2]}, {}, {"items": [3]}],
    "mixed": [{"a": 1}, {"a": {"b": 2}}],
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("${unit}", KNOWN["unit"]),
        ("${unit.orgUnitId}", "id:03ph2"),
        ("${unit.orgUnitId|tail}", "03ph2"),
        ("orgunits/${unit.orgUnitId|tail}", "orgunits/03ph2"),
        ("${unit.name}-${unit.n}-${unit.live}", "Eng-3-true"),
        ("${orgUnits.organizationUnits[1].orgUnitId}", "id:2"),
        ("${orgUnits.organizationUnits[*].orgUnitId}", ["id:1", "id:2"]),
        ("${orgUnits.organizationUnits[*].orgUnitId|tail}", ["1", "2"]),
        ("${pages[*].items[*]}", [1, 2, 3]),
        ("${pages[*].items}", [[1, 2], [3]]),
        ("${pages[*].items[1]}", [2]),
        ("${mixed[*].a.b}", [2]),
        ("${pages[0].nothing[*]}", []),
        ("${now}", "2026-11-20T09:00:00Z"),
        ("${now-7d}", "2026-11-13T09:00:00.000Z"),
        ("${unit.name-1d}", None),  # a dash is part of a field's name
        ("${now+90s}", "2026-11-20T09:01:30.000Z"),
    ],
    ids=str,
)
def test_references_are_followed(text: str, value: object) -> None:
    assert fill_references(text, KNOWN) == value


def test_references_inside_of_objects_and_lists_are_followed() -> None:
    given = {"a": ["${unit.name}", 1], "b": {"c": "${unit.n}"}, "d": None}
    assert fill_references(given, KNOWN) == {"a": ["Eng", 1], "b": {"c": 3}, "d": None}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("${nobody}", "nothing is called 'nobody'"),
        ("${}", "is no reference"),
        ("${unit id}", "is no reference"),
        ("x ${unit}", "is an object and stands inside of a text"),
        ("x ${pages}", "is a list"),
        ("x ${unit.missing}", "is nothing"),
        ("${unit.name.more}", "leads nowhere"),
        ("${pages[9]}", "leads nowhere"),
        ("${unit+1d}", "not an RFC 3339"),
    ],
    ids=str,
)
def test_references_that_lead_nowhere_say_why(text: str, said: str) -> None:
    with pytest.raises(ReferenceFailureError, match=said):
        fill_references(text, KNOWN)


def test_names_are_told_with_their_places() -> None:
    found = list(references_in({"a": ["${x.y}", "${now-1d} and ${z}"], "b": "${ bad }"}))
    assert found == [(("a", 0), "x"), (("a", 1), "now"), (("a", 1), "z"), (("b",), "${ bad }")]
