from datetime import UTC, datetime
from pathlib import Path

import pytest

from mockserver.capture.google.capture import PreparedCapture, describe_plan, prepare_capture
from mockserver.errors import MockServerError
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
