from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from mockserver.capture.google.calls import CallOutcome, Failure, MethodCaller
from mockserver.capture.google.capture import (
    CallResult,
    PlanStep,
    PreparedCapture,
    call_failures,
    call_summary,
    describe_plan,
    prepare_capture,
    run_plan,
)
from mockserver.capture.google.plans import Limits, Plan, PlannedCall, check_plan, is_read_only
from mockserver.capture.google_catalog import google_catalog
from mockserver.errors import MockServerError
from mockserver.googleapi import Catalog, Method
from mockserver.model import Json, JsonObject
from tests.mockserver.capture.google.plannedcalls import PLAN, write_plan

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def prepared(folder: Path, *given: str, **limits: float | None) -> PreparedCapture:
    return prepare_capture(write_plan(folder), given, limits, lambda: NOW)


def test_a_plan_is_prepared_with_its_variables_and_limits(tmp_path: Path) -> None:
    found = prepared(tmp_path, "customer=C0example", qps=2.5, max_items=None)
    assert found.variables["customer"] == "C0example"
    assert (found.plan.limits.qps, found.plan.limits.max_items) == (2.5, 10_000)
    assert [scope.rpartition("/")[2] for scope in found.scopes] == [
        "admin.directory.orgunit.readonly",
        "chrome.management.policy.readonly",
    ]


def test_a_cassette_tells_its_plan_and_the_revisions_of_its_documents(tmp_path: Path) -> None:
    info = prepared(tmp_path).info
    assert info.recorded_at == "2026-11-20T09:00:00.000Z"
    assert sorted(info.revisions) == ["admin:directory_v1", "chromepolicy:v1"]
    assert all(revision.isdecimal() for revision in info.revisions.values())
    assert info.plan["name"] == "small"


def test_a_moment_that_is_none_is_refused(tmp_path: Path) -> None:
    path = write_plan(tmp_path, PLAN.replace("  since: ${now-1d}\n", ""))
    with pytest.raises(MockServerError, match="--set now: 'soon'"):
        prepare_capture(path, ["now=soon"], {}, lambda: NOW)


def test_what_would_be_asked_is_told_before_as_far_as_it_is_known(tmp_path: Path) -> None:
    lines = list(describe_plan(prepared(tmp_path)))
    assert lines[0] == "plan small: 2 calls; scopes they need:"
    assert lines[3:] == [
        "units: directory.orgunits.list",
        "  GET https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits"
        "?type=all",
        "policies: chromepolicy.customers.policies.resolve,"
        " for each unit of ${units.organizationUnits[*]}",
        "  POST https://chromepolicy.googleapis.com/v1/customers/my_customer/policies:resolve",
        '  body {"policySchemaFilter":"chrome.users.*","policyTargetKey":'
        '{"targetResource":"orgunits/${unit.orgUnitId|tail}"}}',
    ]


UNITS = {"organizationUnits": [{"orgUnitId": "id:1", "orgUnitPath": "/A"}, {"orgUnitId": "id:2"}]}
LIST: JsonObject = {
    "id": "units",
    "method": "directory.orgunits.list",
    "params": {"customerId": "my_customer"},
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return google_catalog()


class Scripted(MethodCaller):
    """Answers every call by its method; keeps what was asked."""

    def __init__(self, answers: Mapping[str, CallOutcome]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, Json, Json, Limits]] = []

    @override
    def ask(
        self, method: Method, params: Mapping[str, Json], body: JsonObject, limits: Limits
    ) -> CallOutcome:
        self.asked.append((method.id, dict(params), body, limits))
        return self.answers[method.id]


def run(
    catalog: Catalog, answers: Mapping[str, CallOutcome], *calls: JsonObject, **variables: Any
) -> tuple[list[CallResult], Scripted]:
    plan = Plan(name="p", calls=tuple(PlannedCall.model_validate(call) for call in calls))
    asker = Scripted(answers)
    told: list[PlanStep] = []
    started = lambda step, number, several: told.append(step)  # noqa: E731
    done = list(run_plan(plan, variables, catalog, asker, started))
    assert len(told) >= len(asker.asked)
    return done, asker


def test_a_call_is_made_for_each_value_of_an_earlier_one(catalog: Catalog) -> None:
    get = {
        "id": "each",
        "method": "directory.orgunits.get",
        "for_each": {"unit": "${units.organizationUnits[*]}"},
        "params": {"customerId": "${customer}", "orgUnitPath": "${unit.orgUnitId|tail}"},
    }
    answers = {
        "directory.orgunits.list": CallOutcome(UNITS, pages=1, items=2),
        "directory.orgunits.get": CallOutcome({}, pages=1),
    }
    done, asker = run(catalog, answers, LIST, get, customer="C0")
    assert [(one.call, one.about) for one in done] == [
        ("units", ""),
        ("each", "/A"),
        ("each", "..."),
    ]
    assert [asked[1] for asked in asker.asked[1:]] == [
        {"customerId": "C0", "orgUnitPath": "1"},
        {"customerId": "C0", "orgUnitPath": "2"},
    ]


def test_several_names_make_every_combination(catalog: Catalog) -> None:
    call = {
        **LIST,
        "for_each": {"a": [1, 2], "b": ["x", "y"]},
        "params": {"customerId": "${a}${b}"},
    }
    _, asker = run(catalog, {"directory.orgunits.list": CallOutcome()}, call)
    assert [params for _, params, _, _ in asker.asked] == [
        {"customerId": name} for name in ("1x", "1y", "2x", "2y")
    ]


def test_answers_of_a_repeated_call_are_a_list(catalog: Catalog) -> None:
    first = {**LIST, "for_each": {"a": [1, 2]}}
    then = {
        "id": "then",
        "method": "directory.users.get",
        "for_each": {"unit": "${units[*].organizationUnits[*]}"},
        "params": {"userKey": "${unit.orgUnitId}"},
    }
    answers = {"directory.orgunits.list": CallOutcome(UNITS), "directory.users.get": CallOutcome()}
    done, _ = run(catalog, answers, first, then)
    assert len(done) == 2 + 4


def test_a_failed_call_does_not_stop_the_others(catalog: Catalog) -> None:
    other = {"id": "other", "method": "directory.users.list"}
    then = {
        "id": "then",
        "method": "directory.users.get",
        "for_each": {"unit": "${units.organizationUnits[*]}"},
        "params": {"userKey": "x"},
    }
    answers = {
        "directory.orgunits.list": CallOutcome(failure=Failure(403, "no")),
        "directory.users.list": CallOutcome(),
    }
    done, _ = run(catalog, answers, LIST, then, other)
    assert [(one.call, one.failed) for one in done] == [("units", True), ("other", False)]


def test_a_failure_of_an_optional_call_is_none_of_the_capture(catalog: Catalog) -> None:
    answers = {"directory.orgunits.list": CallOutcome(failure=Failure(403, "no"))}
    [done], _ = run(catalog, answers, {**LIST, "optional": True})
    assert not done.failed


def test_refused_credentials_end_the_capture(catalog: Catalog) -> None:
    answers = {"directory.orgunits.list": CallOutcome(failure=Failure(401, "who?"))}
    done, asker = run(catalog, answers, LIST, {**LIST, "id": "again"})
    assert len(done) == len(asker.asked) == 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"for_each": {"u": "${x.y.z}"}}, "leads nowhere"),
        ({"for_each": {"u": "${x}"}}, "is no list"),
        ({"params": {"customerId": "${x.y.z}"}}, "leads nowhere"),
    ],
    ids=["a-list-that-is-nowhere", "no-list", "a-parameter"],
)
def test_a_call_that_cannot_be_made_is_a_failure(
    catalog: Catalog, call: JsonObject, said: str
) -> None:
    [done], asker = run(catalog, {}, {**LIST, **call}, x={"y": 1})
    assert done.outcome.failure is not None
    assert said in done.outcome.failure.message
    assert asker.asked == []


def test_a_call_may_have_limits_of_its_own(catalog: Catalog) -> None:
    _, asker = run(catalog, {"directory.orgunits.list": CallOutcome()}, {**LIST, "max_pages": 7})
    limits = asker.asked[0][3]
    assert (limits.max_pages, limits.max_items) == (7, Limits().max_items)


def done(
    outcome: CallOutcome, *, call: str = "users", about: str = "", optional: bool = False
) -> CallResult:
    return CallResult(call, about, "directory.users.list", outcome, optional)


def test_calls_are_summed_up_by_what_was_planned() -> None:
    fine, bad = CallOutcome(pages=2, items=30), CallOutcome(failure=Failure(404, "no"))
    lines = list(call_summary([done(fine), done(fine, call="m"), done(bad, call="m"), done(bad)]))
    assert lines == [
        "users: 2 calls, 2 pages, 30 items, 1 failed",
        "m: 2 calls, 2 pages, 30 items, 1 failed",
    ]


@pytest.mark.parametrize(
    ("failure", "optional", "code", "said"),
    [
        (Failure(404, "not here"), False, 1, "users [x]: failed 404: not here"),
        (Failure(0, "no answer"), False, 1, "users [x]: failed: no answer"),
        (Failure(404, "not here"), True, 0, "failed (optional) 404"),
        (Failure(403, "scopes", scope=True), False, 2, "lack a scope of directory.users.list"),
        (Failure(403, "scopes", scope=True), True, 0, "lack a scope"),
        (Failure(401, "who?"), True, 2, "no further call was made"),
    ],
    ids=["failed", "no-answer", "optional", "scope", "optional-scope", "refused"],
)
def test_failures_say_what_to_do_and_what_they_cost(
    failure: Failure, optional: bool, code: int, said: str
) -> None:
    found = call_failures([done(CallOutcome(failure=failure), about="x", optional=optional)])
    assert found.exit_code == code
    assert said in found.lines[0]


def test_pages_before_a_failure_and_lists_cut_short_are_told() -> None:
    found = call_failures(
        [
            done(CallOutcome(pages=2, failure=Failure(500, "oops"))),
            done(CallOutcome(pages=1, cut="there is more after 1 pages (max_pages)")),
        ]
    )
    assert found.lines[0].endswith("oops, 2 pages kept")
    assert found.lines[1] == "users: cut short: there is more after 1 pages (max_pages)"


def test_nothing_failed_is_nothing_told() -> None:
    assert call_failures([done(CallOutcome(pages=1))]) == call_failures([])
    assert call_failures([]).exit_code == 0


def wrong(catalog: Catalog, **call: JsonObject | str) -> list[str]:
    plan = Plan(name="p", calls=(PlannedCall.model_validate({"id": "a", **call}),))
    return [f"{message} {hint}".strip() for _, message, hint in check_plan(plan, catalog)]


@pytest.mark.parametrize(
    ("method", "read"),
    [
        ("directory.orgunits.list", True),
        ("logging.entries.list", True),
        ("chromepolicy.customers.policies.resolve", True),
        ("logging.entries.write", False),
        ("directory.users.update", False),
        ("directory.users.makeAdmin", False),
        ("chromepolicy.customers.policies.orgunits.batchModify", False),
    ],
    ids=str,
)
def test_what_only_reads_is_told_by_verb_and_name(
    catalog: Catalog, method: str, read: bool
) -> None:
    found = catalog.method(method)
    assert found is not None
    assert is_read_only(found) is read


def test_required_parameters_have_to_be_there(catalog: Catalog) -> None:
    [problem] = wrong(catalog, method="directory.orgunits.list")
    assert problem == "directory.orgunits.list needs the parameter 'customerId' " + (
        "add it to params of a"
    )


def test_a_method_without_a_body_takes_none(catalog: Catalog) -> None:
    [problem] = wrong(
        catalog,
        method="directory.customers.get",
        params={"customerKey": "x"},
        body={"a": 1},
    )
    assert "has no body its parameters go to `params`" in problem


def test_fields_inside_of_lists_and_free_objects_are_looked_at_as_far_as_schemas_tell(
    catalog: Catalog,
) -> None:
    body: JsonObject = {"policyTargetKey": {"additionalTargetKeys": {"anything": "goes"}}}
    method = "chromepolicy.customers.policies.resolve"
    assert wrong(catalog, method=method, params={"customer": "customers/c"}, body=body) == []
    body = {"resourceNames": ["projects/p"], "orderby": "timestamp"}
    [problem] = wrong(catalog, method="logging.entries.list", body=body)
    assert "no field 'orderby' did you mean 'orderBy'" in problem


def test_a_version_that_does_not_have_the_method_is_told(catalog: Catalog) -> None:
    [problem] = wrong(
        catalog,
        method="directory.customers.get",
        version="v9",
        params={"customerKey": "x"},
    )
    assert problem == "directory.customers.get is not in version 'v9' leave `version` away"


def test_a_method_that_is_like_no_other_is_told_where_to_look(catalog: Catalog) -> None:
    [problem] = wrong(catalog, method="zzz")
    assert problem.startswith("no method 'zzz'")
    assert "understudy apis" in problem
