from collections.abc import Mapping
from typing import Any

import pytest
from typing_extensions import override

from mockserver.capture.google.calls import CallOutcome, Failure, MethodCaller
from mockserver.capture.google.capture import CallResult, PlanStep, google_catalog, run_plan
from mockserver.capture.google.plans import Limits, Plan, PlannedCall
from mockserver.googleapi import Catalog, Method
from mockserver.model import Json, JsonObject

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
