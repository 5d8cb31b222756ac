import pytest

from mockserver.capture.google.capture import google_catalog
from mockserver.capture.google.plans import Plan, PlannedCall, check_plan, is_read_only
from mockserver.googleapi import Catalog
from mockserver.model import JsonObject


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return google_catalog()


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
    assert "mockserver apis" in problem
